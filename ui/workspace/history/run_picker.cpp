#include "ui/workspace/history/run_picker.h"

#include <QDialogButtonBox>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPointer>
#include <QPushButton>
#include <QStandardItemModel>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/jobs/run_status.h"
#include "ui/theme/theme.h"
#include "ui/views/empty_state.h"
#include "ui/workspace/history/metric_kinds.h"
#include "ui/workspace/two_tone_delegate.h"
#include "ui/workspace/words.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr int kKeyRole = Qt::UserRole + 1;
constexpr int kWidthSteps = 150, kHeightSteps = 110;  ///< of the dialog, in spacing steps

QString nameOf(const store::RunRow& row) {
    return row.name.empty() ? u"Run %1"_s.arg(row.id) : shown(row.name);
}

}  // namespace

int comparability(const store::RunRow& run, const store::RunRow& other) {
    return (run.models == other.models ? 4 : 0) + (run.hardware == other.hardware ? 2 : 0) +
           (run.engine == other.engine ? 1 : 0);
}

RunPicker::Wording RunPicker::toCompare(const store::RunRow& run) {
    return {.title = u"Compare with"_s,
            .sentence = u"Compare %1 with"_s.arg(nameOf(run)),
            .button = u"Compare"_s,
            .none = u"There is no other finished run yet. Run the study again with other settings."_s};
}

RunPicker::Wording RunPicker::toColour(const QString& model) {
    return {.title = u"Colour by a run"_s,
            .sentence = u"Colour %1 by what a run of it found"_s.arg(model),
            .button = u"Show"_s,
            .none = u"There is no finished run of this model yet. Run a study with it first."_s,
            .max = 1};
}

RunPicker::RunPicker(const Wording& wording, const store::RunRow& run, Search search, QWidget* parent)
    : QDialog(parent),
      wording_(wording),
      run_(run),
      search_(std::move(search)),
      field_(new QLineEdit),
      list_(new QListView),
      hint_(new EmptyState(u"history"_s, {})),
      model_(new QStandardItemModel(this)) {
    setWindowTitle(wording.title);
    auto* title = new QLabel(wording.sentence);
    title->setTextFormat(Qt::PlainText);
    title->setWordWrap(true);
    field_->setPlaceholderText(u"Search names, tags, notes, models, hardware"_s);
    field_->setAccessibleName(u"Search the runs"_s);
    field_->setClearButtonEnabled(true);
    list_->setModel(model_);
    list_->setAccessibleName(u"Runs to choose from"_s);
    list_->setSelectionMode(wording.max > 1 ? QAbstractItemView::ExtendedSelection
                                            : QAbstractItemView::SingleSelection);
    list_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    list_->setUniformItemSizes(true);
    auto* delegate = new TwoToneDelegate(list_);
    delegate->setRowHeight(theme().spacing(8));
    list_->setItemDelegate(delegate);
    auto* buttons = new QDialogButtonBox;
    choose_ = buttons->addButton(wording.button, QDialogButtonBox::AcceptRole);
    choose_->setProperty("emphasis", "primary");
    buttons->addButton(QDialogButtonBox::Cancel);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(theme().spacing(4), theme().spacing(4), theme().spacing(4), theme().spacing(4));
    column->setSpacing(theme().spacing(3));
    column->addWidget(title);
    column->addWidget(field_);
    column->addWidget(list_, 1);
    column->addWidget(hint_, 1);
    column->addWidget(buttons);
    resize(theme().spacing(kWidthSteps), theme().spacing(kHeightSteps));

    auto* rest = new QTimer(this);
    rest->setSingleShot(true);
    rest->setInterval(kTypingMilliseconds);
    connect(rest, &QTimer::timeout, this, &RunPicker::search);
    connect(field_, &QLineEdit::textChanged, rest, qOverload<>(&QTimer::start));
    connect(list_->selectionModel(), &QItemSelectionModel::selectionChanged, this, &RunPicker::updateButton);
    connect(list_, &QListView::doubleClicked, this, &RunPicker::choose);
    connect(buttons, &QDialogButtonBox::accepted, this, &RunPicker::choose);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    field_->installEventFilter(this);
    hint_->hide();
    updateButton();
    this->search();
    field_->setFocus();
}

void RunPicker::search() {
    const int question = ++requests_;
    const QPointer<RunPicker> guard(this);
    search_(field_->text().trimmed(), [guard, question](const std::vector<Candidate>& found) {
        if (guard && question == guard->requests_) guard->showFound(found);
    });
}

void RunPicker::showFound(const std::vector<Candidate>& found) {
    std::vector<Candidate> rows = found;
    std::stable_sort(rows.begin(), rows.end(), [this](const Candidate& a, const Candidate& b) {
        return comparability(run_, a.row) > comparability(run_, b.row);
    });
    model_->clear();
    for (const Candidate& each : rows) {
        auto* item = new QStandardItem(theme().icon(statusIcon(each.row.status), statusToken(each.row.status)),
                                       nameOf(each.row));
        const QString when = each.row.started ? momentText(*each.row.started) : u"not kept"_s;
        item->setData(each.row.models == run_.models ? when : u"another model · %1"_s.arg(when),
                      TwoToneDelegate::kAsideRole);
        item->setData(each.key, kKeyRole);
        item->setToolTip(shown(each.row.headline).toHtmlEscaped());
        item->setAccessibleDescription(shown(each.row.headline));
        model_->appendRow(item);
    }
    hint_->setSentence(field_->text().trimmed().isEmpty() ? wording_.none : u"No finished run fits these words."_s);
    hint_->setVisible(rows.empty());
    list_->setVisible(!rows.empty());
    if (!rows.empty()) list_->setCurrentIndex(model_->index(0, 0));
    updateButton();
}

void RunPicker::updateButton() {
    const auto count = list_->selectionModel()->selectedIndexes().size();
    choose_->setEnabled(count >= 1 && count <= wording_.max);
    choose_->setToolTip(count > wording_.max ? u"At most %1 runs can be chosen here"_s.arg(wording_.max) : QString());
}

void RunPicker::choose() {
    if (!choose_->isEnabled()) return;
    QModelIndexList chosenRows = list_->selectionModel()->selectedIndexes();
    std::sort(chosenRows.begin(), chosenRows.end());
    QStringList keys;
    for (const QModelIndex& index : chosenRows) keys.append(index.data(kKeyRole).toString());
    accept();
    emit chosen(keys);
}

/// The list is walked while the field has the focus.
bool RunPicker::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyPress && model_->rowCount() > 0) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Down || key == Qt::Key_Up) {
            const int row = list_->currentIndex().row() + (key == Qt::Key_Down ? 1 : -1);
            list_->setCurrentIndex(model_->index(std::clamp(row, 0, model_->rowCount() - 1), 0));
            return true;
        }
    }
    return QDialog::eventFilter(watched, event);
}

}  // namespace tessera::ui
