#include "ui/workspace/history/column_chooser.h"

#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/theme/theme.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

ColumnChooser::ColumnChooser(const QVector<Choice>& choices, QWidget* parent)
    : QDialog(parent), choices_(choices), search_(new QLineEdit), tree_(new QTreeWidget), count_(new QLabel) {
    setWindowTitle(u"Columns"_s);
    setAttribute(Qt::WA_DeleteOnClose);
    search_->setPlaceholderText(u"Search columns"_s);
    search_->setAccessibleName(u"Search columns"_s);
    search_->setClearButtonEnabled(true);
    tree_->setAccessibleName(u"Columns"_s);
    tree_->header()->hide();
    tree_->setUniformRowHeights(true);
    setLook(*count_, "tone", "secondary");
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* column = new QVBoxLayout(this);
    column->setSpacing(theme().spacing(2));
    column->addWidget(search_);
    column->addWidget(tree_, 1);
    column->addWidget(count_);
    column->addWidget(buttons);
    resize(theme().spacing(110), theme().spacing(130));
    fill();
    connect(search_, &QLineEdit::textChanged, this, &ColumnChooser::filter);
    connect(tree_, &QTreeWidget::itemChanged, this, [this](const QTreeWidgetItem* item) {
        const QVariant choice = item->data(0, Qt::UserRole);
        if (!choice.isValid()) return;
        Choice& its = choices_[choice.toInt()];
        its.shown = item->checkState(0) == Qt::Checked;
        its.choose(its.shown);
        count();
    });
    search_->setFocus();
}

void ColumnChooser::fill() {
    QTreeWidgetItem* section = nullptr;
    for (int i = 0; i < choices_.size(); ++i) {
        const Choice& choice = choices_[i];
        if (section == nullptr || section->text(0) != choice.section) {
            section = new QTreeWidgetItem(tree_, {choice.section});
            section->setFont(0, theme().font(Theme::Text::base, true));
            section->setFlags(Qt::ItemIsEnabled);
        }
        auto* item = new QTreeWidgetItem(section, {choice.title});
        item->setToolTip(0, choice.help.toHtmlEscaped());
        item->setData(0, Qt::UserRole, i);
        item->setCheckState(0, choice.shown ? Qt::Checked : Qt::Unchecked);
    }
    filter({});
    count();
}

/// Without a search, sections that show nothing stay folded: there is one for every strategy and accelerator.
void ColumnChooser::filter(const QString& typed) {
    const QStringList words = typed.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    for (int s = 0; s < tree_->topLevelItemCount(); ++s) {
        QTreeWidgetItem* section = tree_->topLevelItem(s);
        bool any = false, checked = false;
        for (int i = 0; i < section->childCount(); ++i) {
            QTreeWidgetItem* item = section->child(i);
            const QString text = section->text(0) + QLatin1Char(' ') + item->text(0);
            const bool fits = std::all_of(words.begin(), words.end(), [&](const QString& word) {
                return text.contains(word, Qt::CaseInsensitive);
            });
            item->setHidden(!fits);
            any = any || fits;
            checked = checked || item->checkState(0) == Qt::Checked;
        }
        section->setHidden(!any);
        section->setExpanded(!words.isEmpty() || checked || s < 2);
    }
}

void ColumnChooser::count() {
    const auto shown =
        std::count_if(choices_.begin(), choices_.end(), [](const Choice& choice) { return choice.shown; });
    count_->setText(u"%1 of %2 columns shown"_s.arg(shown).arg(choices_.size()));
}

}  // namespace tessera::ui
