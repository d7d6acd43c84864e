#include "ui/views/assumptions_pane.h"

#include <QLabel>
#include <QScrollArea>
#include <QSplitter>
#include <QVBoxLayout>

#include "ui/models/partition_run.h"
#include "ui/models/table_columns.h"
#include "ui/models/table_model.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/lazy_tabs.h"
#include "ui/views/table_view.h"

namespace tessera::ui {

AssumptionsPane::AssumptionsPane(QWidget* parent)
    : QWidget(parent), sentences_(sentences()), inputs_(std::make_shared<std::vector<study::Input>>()) {
    sentences_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    sentences_->setContentsMargins(0, 0, theme().spacing(3), 0);
    auto* scroll = new QScrollArea;
    scroll->setWidget(sentences_);
    scroll->setAccessibleName(tr("Assumptions"));
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    const auto input = [inputs = inputs_](int row) -> const study::Input& {
        return inputs->at(static_cast<std::size_t>(row));
    };
    model_ = new TableModel({columns::words(tr("Input"), [input](int row) { return shownText(input(row).name); }),
                             columns::words(tr("SHA-256"), [input](int row) { return shownText(input(row).sha256); })},
                            this);
    auto* table = new TableView(model_, tr("Inputs"));
    table->setFilterVisible(false);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(besides(scroll, table));
}

void AssumptionsPane::setResult(const study::Result& result) {
    QStringList lines;
    for (const std::string& warning : result.warnings) lines << shownText(warning);
    for (const std::string& sentence : result.assumptions) lines << shownText(sentence);
    if (lines.isEmpty()) lines << tr("This result rests on no assumption and has no warning.");
    sentences_->setText(lines.join(QLatin1String("\n\n")));
    *inputs_ = result.inputs;
    model_->setRowCount(static_cast<int>(inputs_->size()));
}

}  // namespace tessera::ui
