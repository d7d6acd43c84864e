#include "ui/editors/name_dialog.h"

#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>
#include <utility>

#include "ui/editors/edited_file.h"
#include "ui/theme/theme.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

NameDialog::NameDialog(const QString& title, const QString& proposal, std::filesystem::path folder, QWidget* parent)
    : QDialog(parent),
      folder_(std::move(folder)),
      name_(new QLineEdit(proposal, this)),
      reason_(new QLabel(this)),
      buttons_(new QDialogButtonBox(QDialogButtonBox::Save | QDialogButtonBox::Cancel, this)) {
    setWindowTitle(title);
    auto* layout = new QVBoxLayout(this);
    layout->setSpacing(theme().spacing(2));
    auto* label = new QLabel(u"&Name in the library"_s, this);
    label->setBuddy(name_);
    name_->setAccessibleName(u"Name in the library"_s);
    name_->setMinimumWidth(fontMetrics().averageCharWidth() * 50);
    name_->selectAll();
    reason_->setTextFormat(Qt::PlainText);
    reason_->setWordWrap(true);
    setLook(*reason_, "letters", u"caption"_s);
    layout->addWidget(label);
    layout->addWidget(name_);
    layout->addWidget(reason_);
    layout->addStretch(1);
    layout->addWidget(buttons_);
    QPushButton* elsewhere = buttons_->addButton(u"Save as…"_s, QDialogButtonBox::ActionRole);
    elsewhere->setAutoDefault(false);
    elsewhere->setToolTip(u"Choose any folder and file name"_s);
    connect(elsewhere, &QPushButton::clicked, this, &NameDialog::choosePlace);
    connect(buttons_, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons_, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(name_, &QLineEdit::textChanged, this, &NameDialog::judge);
    judge();
}

QString NameDialog::name() const {
    return name_->text().trimmed();
}

void NameDialog::choosePlace() {
    const QString proposal = problemOfName(name()).isEmpty() ? name() + u".json"_s : QString();
    QString path = QFileDialog::getSaveFileName(this, windowTitle(), proposal, u"Tessera files (*.json)"_s);
    if (path.isEmpty()) return;
    if (QFileInfo(path).suffix().isEmpty()) path += u".json"_s;
    otherPlace_ = path;
    accept();
}

void NameDialog::judge() {
    const QString problem = problemOfName(name());
    std::error_code ignored;
    const bool there =
        problem.isEmpty() && std::filesystem::exists(folder_ / (name().toStdString() + ".json"), ignored);
    const QString place = QString::fromStdString((folder_ / (name().toStdString() + ".json")).string());
    QString text = u"It becomes %1."_s.arg(place);
    if (there) text = u"There is a file of that name; it will be replaced."_s;
    reason_->setText(problem.isEmpty() ? text : problem);
    const char* tone = !problem.isEmpty() ? "bad" : there ? "warning" : "secondary";
    setLook(*reason_, "tone", QLatin1String(tone));
    QPushButton* save = buttons_->button(QDialogButtonBox::Save);
    save->setEnabled(problem.isEmpty());
    save->setText(there ? u"Replace"_s : u"Save"_s);
}

}  // namespace tessera::ui
