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

NameDialog::NameDialog(const QString& title, const QString& proposal, std::filesystem::path folder, QWidget* parent)
    : QDialog(parent),
      folder_(std::move(folder)),
      name_(new QLineEdit(proposal, this)),
      reason_(new QLabel(this)),
      buttons_(new QDialogButtonBox(QDialogButtonBox::Save | QDialogButtonBox::Cancel, this)) {
    setWindowTitle(title);
    auto* layout = new QVBoxLayout(this);
    layout->setSpacing(theme().spacing(2));
    auto* label = new QLabel(tr("&Name in the library"), this);
    label->setBuddy(name_);
    name_->setAccessibleName(tr("Name in the library"));
    name_->setMinimumWidth(fontMetrics().averageCharWidth() * 50);
    name_->selectAll();
    reason_->setTextFormat(Qt::PlainText);
    reason_->setWordWrap(true);
    setLook(*reason_, "letters", QStringLiteral("caption"));
    layout->addWidget(label);
    layout->addWidget(name_);
    layout->addWidget(reason_);
    layout->addStretch(1);
    layout->addWidget(buttons_);
    QPushButton* elsewhere = buttons_->addButton(tr("Save as…"), QDialogButtonBox::ActionRole);
    elsewhere->setAutoDefault(false);
    elsewhere->setToolTip(tr("Choose any folder and file name"));
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
    const QString proposal = problemOfName(name()).isEmpty() ? name() + QStringLiteral(".json") : QString();
    QString path = QFileDialog::getSaveFileName(this, windowTitle(), proposal, tr("Tessera files (*.json)"));
    if (path.isEmpty()) return;
    if (QFileInfo(path).suffix().isEmpty()) path += QStringLiteral(".json");
    otherPlace_ = path;
    accept();
}

void NameDialog::judge() {
    const QString problem = problemOfName(name());
    std::error_code ignored;
    const bool there =
        problem.isEmpty() && std::filesystem::exists(folder_ / (name().toStdString() + ".json"), ignored);
    const QString place = QString::fromStdString((folder_ / (name().toStdString() + ".json")).string());
    QString text = tr("It becomes %1.").arg(place);
    if (there) text = tr("There is a file of that name; it will be replaced.");
    reason_->setText(problem.isEmpty() ? text : problem);
    const char* tone = !problem.isEmpty() ? "bad" : there ? "warning" : "secondary";
    setLook(*reason_, "tone", QLatin1String(tone));
    QPushButton* save = buttons_->button(QDialogButtonBox::Save);
    save->setEnabled(problem.isEmpty());
    save->setText(there ? tr("Replace") : tr("Save"));
}

}  // namespace tessera::ui
