#include <gtest/gtest.h>

#include <QCheckBox>
#include <QComboBox>
#include <QDialog>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QProgressBar>
#include <QPushButton>
#include <QRadioButton>
#include <QScrollArea>
#include <QSlider>
#include <QSpinBox>
#include <QSplitter>
#include <QTabWidget>
#include <QTableView>
#include <QTimer>
#include <QToolBar>
#include <QToolButton>
#include <QTreeWidget>

#include "tests/support/pictures.h"
#include "ui/theme/theme.h"
#include "ui/views/empty_state.h"
#include "ui/views/explain_dialog.h"
#include "ui/views/facts_view.h"
#include "ui/views/headline_bar.h"
#include "ui/views/message_bar.h"
#include "ui/views/table_view.h"
#include "ui/views/text_label.h"

namespace tessera::ui {
namespace {

study::Explanation stepTime() {
    study::Explanation made;
    made.title = "Step time of accpar";
    made.value = "36.2 ms";
    made.exact = "0.036199999 s";
    made.formula = "step = max over accelerators of (transfers on its path + its compute)";
    made.terms = {{"network rate of one v3", "16 Gb/s", "fleet accpar-heterogeneous, datasheet"},
                  {"compute of the slowest", "21.9 ms", "result"},
                  {"batch", "512", "parameter batch"}};
    made.source = "AccPar (HPCA 2020), section 4.3, Table 6";
    made.notes = {"Transfers and compute do not overlap."};
    return made;
}

Facts layerFacts() {
    Facts facts;
    facts.title = QStringLiteral("conv4_3/3x3");
    facts.subtitle = QStringLiteral("Convolution of ResNet-50, layer 31 of 54");
    facts.icon = QStringLiteral("layers");
    facts.sections = {{QStringLiteral("Shape"),
                       {{.label = QStringLiteral("Input"), .value = QStringLiteral("256 × 14 × 14")},
                        {.label = QStringLiteral("Kernel"), .value = QStringLiteral("3 × 3")},
                        {.label = QStringLiteral("Weights"),
                         .value = QStringLiteral("589,824"),
                         .exact = QStringLiteral("589824"),
                         .whereFrom = QStringLiteral("model resnet50, input channels × output channels × kernel")}}},
                      {QStringLiteral("In the plan of accpar"),
                       {{.label = QStringLiteral("Compute per step"),
                         .value = QStringLiteral("1.04 ms"),
                         .exact = QStringLiteral("0.0010398"),
                         .explain = [] { return std::optional(stepTime()); }},
                        {.label = QStringLiteral("Transfers inside the layer"),
                         .value = QStringLiteral("212 µs"),
                         .explain = [] { return std::optional(stepTime()); }},
                        {.label = QStringLiteral("Types by level"),
                         .value = QStringLiteral("I, I, III, III, II, I, I (root first)")}}}};
    facts.actions = {{QStringLiteral("Show in the graph"), QStringLiteral("model"), [] {}},
                     {QStringLiteral("Compare with another run"), QStringLiteral("compare"), [] {}}};
    facts.note = QStringLiteral("The split of this layer changes between levels 2 and 3.");
    return facts;
}

QWidget* inputs() {
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setSpacing(theme().spacing(2));
    auto* name = new QLineEdit(QStringLiteral("180 TFLOPS"));
    auto* wrong = new QLineEdit(QStringLiteral("16 GB"));
    wrong->setProperty("wrong", true);
    auto* hint = new QLineEdit;
    hint->setPlaceholderText(QStringLiteral("16 GB/s"));
    auto* off = new QLineEdit(QStringLiteral("not now"));
    off->setEnabled(false);
    auto* choice = new QComboBox;
    choice->addItems({QStringLiteral("AccPar"), QStringLiteral("HyPar")});
    auto* number = new QSpinBox;
    number->setMaximum(10000);
    number->setValue(512);
    auto* check = new QCheckBox(QStringLiteral("Weights are replicated"));
    check->setChecked(true);
    auto* part = new QCheckBox(QStringLiteral("Some layers"));
    part->setCheckState(Qt::PartiallyChecked);
    auto* radio = new QRadioButton(QStringLiteral("Step time"));
    radio->setChecked(true);
    auto* slider = new QSlider(Qt::Horizontal);
    slider->setValue(60);
    auto* progress = new QProgressBar;
    progress->setValue(71);
    for (QWidget* widget : std::initializer_list<QWidget*>{
             name, wrong, hint, off, choice, number, check, part, new QCheckBox(QStringLiteral("Not chosen")), radio,
             new QRadioButton(QStringLiteral("Energy")), slider, progress})
        column->addWidget(widget);
    auto* buttons = new QHBoxLayout;
    auto* run = new QPushButton(theme().icon(QStringLiteral("run"), "on-accent"), QStringLiteral("Run"));
    run->setProperty("emphasis", "primary");
    auto* no = new QPushButton(QStringLiteral("Disabled"));
    no->setEnabled(false);
    buttons->addWidget(run);
    buttons->addWidget(new QPushButton(QStringLiteral("Cancel")));
    buttons->addWidget(no);
    column->addLayout(buttons);
    column->addStretch(1);
    return page;
}

/// Everything that the theme styles, on one page.
class Gallery : public QWidget {
public:
    Gallery() : table(columns()) {
        resize(1280, 800);
        setProperty("ground", "window");
        auto* column = new QVBoxLayout(this);
        column->setContentsMargins(0, 0, 0, 0);
        column->setSpacing(0);
        column->addWidget(toolbar());
        auto* split = new QSplitter;
        split->addWidget(tree());
        split->addWidget(centre());
        auto* scroll = new QScrollArea;
        scroll->setWidgetResizable(true);
        scroll->setFrameShape(QFrame::NoFrame);
        auto* facts = new FactsView;
        facts->setFacts(layerFacts());
        scroll->setWidget(facts);
        split->addWidget(scroll);
        split->setSizes({200, 800, 280});
        column->addWidget(split, 1);
    }

private:
    static QVector<TableModel::Column> columns() {
        return {{.title = QStringLiteral("Layer"),
                 .text = [](int row) { return QStringLiteral("conv%1").arg(row + 1); },
                 .decoration =
                     [](int /*row*/, int role) {
                         return role == Qt::DecorationRole
                                    ? QVariant(theme().icon(QStringLiteral("layers"), "secondary"))
                                    : QVariant();
                     }},
                {.title = QStringLiteral("Type"),
                 .text = [](int row) { return QStringLiteral("I II III").split(QLatin1Char(' '))[row % 3]; }},
                {.title = QStringLiteral("Compute"),
                 .text = [](int row) { return QStringLiteral("%1 µs").arg(100 + row * 17.5, 0, 'f', 1); },
                 .sort = [](int row) { return QVariant(100e-6 + row * 17.5e-6); },
                 .number = true,
                 .summed = true,
                 .sumText = [](double sum) { return QStringLiteral("%1 ms").arg(sum * 1e3, 0, 'f', 2); }},
                {.title = QStringLiteral("Weights"),
                 .text = [](int row) { return QString::number(589824 + row * 1000); },
                 .sort = [](int row) { return QVariant(589824 + row * 1000); },
                 .number = true,
                 .summed = true}};
    }

    static QWidget* toolbar() {
        auto* bar = new QToolBar;
        bar->setIconSize(QSize(20, 20));
        const auto add = [&](const char* icon, const QString& title) {
            return bar->addAction(theme().icon(QLatin1String(icon)), title);
        };
        bar->addAction(theme().icon(QStringLiteral("run"), "accent"), QStringLiteral("Run"));
        add("pause", QStringLiteral("Pause"));
        add("stop", QStringLiteral("Stop"))->setEnabled(false);
        bar->addSeparator();
        auto* model = new QToolButton;
        model->setText(QStringLiteral("ResNet-50"));
        model->setIcon(theme().icon(QStringLiteral("model")));
        model->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        model->setPopupMode(QToolButton::InstantPopup);
        model->setMenu(new QMenu(model));
        bar->addWidget(model);
        add("undo", QStringLiteral("Undo"));
        add("redo", QStringLiteral("Redo"));
        bar->addSeparator();
        add("search", QStringLiteral("Search"));
        add("settings", QStringLiteral("Settings"));
        return bar;
    }

    static QWidget* tree() {
        auto* made = new QTreeWidget;
        made->setHeaderHidden(true);
        for (const char* name : {"Models", "Hardware", "Studies", "History"}) {
            auto* top = new QTreeWidgetItem(made, {QLatin1String(name)});
            for (const char* child : {"resnet50", "vgg19", "bert-large"}) {
                auto* item = new QTreeWidgetItem(top, {QLatin1String(child)});
                item->setIcon(0, theme().icon(QStringLiteral("model"), "secondary"));
            }
        }
        made->expandItem(made->topLevelItem(0));
        made->setCurrentItem(made->topLevelItem(0)->child(1));
        return made;
    }

    QWidget* centre() {
        auto* tabs = new QTabWidget;
        tabs->setDocumentMode(true);
        tabs->setTabsClosable(true);
        auto* page = new QWidget;
        page->setProperty("ground", "surface");
        auto* column = new QVBoxLayout(page);
        column->setContentsMargins(0, 0, 0, 0);
        column->setSpacing(0);
        auto* message = new MessageBar;
        message->showMessage(MessageBar::Kind::warning,
                             QStringLiteral("Batch 1024 needs 41.3 GB; HBM has 40 GB. 512 fits."),
                             QStringLiteral("Use 512"), [] {});
        column->addWidget(message);
        auto* headlines = new HeadlineBar;
        headlines->setHeadlines({{.value = QStringLiteral("6.31×"), .label = QStringLiteral("over data parallelism")},
                                 {.value = QStringLiteral("36.2 ms"),
                                  .label = QStringLiteral("per step"),
                                  .explain = [] { return std::optional(stepTime()); }},
                                 {.value = QStringLiteral("14.1 k/s"),
                                  .label = QStringLiteral("samples"),
                                  .detail = QStringLiteral("proven optimal"),
                                  .tone = QStringLiteral("good")}});
        column->addWidget(headlines);
        auto* lower = new QSplitter;
        auto* rows = new TableView(&table, QStringLiteral("Layers"));
        table.setRowCount(54);
        rows->setCurrentRow(3);
        lower->addWidget(rows);
        auto* aside = new QWidget;
        auto* asideColumn = new QVBoxLayout(aside);
        asideColumn->addWidget(textLabel(QStringLiteral("Parameters"), Theme::Text::panelTitle, {}, true));
        asideColumn->addWidget(inputs());
        lower->addWidget(aside);
        lower->setSizes({480, 300});
        column->addWidget(lower, 1);
        tabs->addTab(page, theme().icon(QStringLiteral("partition")), QStringLiteral("AccPar het."));
        tabs->addTab(new QWidget, theme().icon(QStringLiteral("model")), QStringLiteral("ResNet-50"));
        tabs->addTab(new QWidget, theme().icon(QStringLiteral("study")), QStringLiteral("Study 12"));
        return tabs;
    }

    TableModel table;
};

TEST(Gallery, showsEveryWidgetInLightAndDark) {
    for (const ThemeMode mode : {ThemeMode::light, ThemeMode::dark}) {
        theme().apply(mode);
        const QString suffix = theme().isDark() ? QStringLiteral("-dark") : QStringLiteral("-light");
        Gallery gallery;
        gallery.show();
        auto* tree = gallery.findChild<QTreeWidget*>();
        EXPECT_TRUE(test::waitUntil([&] { return tree->visualItemRect(tree->topLevelItem(0)).height() >= 24; }));
        const QImage picture = test::savePicture(gallery, QStringLiteral("gallery") + suffix);
        EXPECT_GT(test::coloursIn(picture), 100);
        EXPECT_EQ(picture.pixelColor(4, 700).name(), theme().colour("surface").name()) << "the library is a surface";

        showExplanation(stepTime(), gallery);
        QCoreApplication::processEvents();
        auto* dialog = gallery.findChild<QDialog*>(QStringLiteral("explanation"));
        ASSERT_NE(dialog, nullptr);
        test::savePicture(*dialog, QStringLiteral("explanation") + suffix);
        const QList<QLabel*> labels = dialog->findChildren<QLabel*>();
        EXPECT_TRUE(std::any_of(labels.begin(), labels.end(),
                                [](const QLabel* label) { return label->text().contains(QStringLiteral("16 Gb/s")); }));
        dialog->close();

        EmptyState empty(QStringLiteral("chart"), QStringLiteral("Run a study to see how it converges."));
        empty.addAction(QStringLiteral("New study"), QStringLiteral("add"), [] {});
        empty.setProperty("ground", "surface");
        empty.resize(480, 300);
        EXPECT_GT(test::coloursIn(test::savePicture(empty, QStringLiteral("empty") + suffix)), 10);

        QMenu menu;
        menu.addAction(theme().icon(QStringLiteral("open")), QStringLiteral("Open…"), QKeySequence::Open, [] {});
        menu.addAction(theme().icon(QStringLiteral("save")), QStringLiteral("Save"), QKeySequence::Save, [] {});
        menu.addSeparator();
        QAction* checked = menu.addAction(QStringLiteral("Show the inspector"));
        checked->setCheckable(true);
        checked->setChecked(true);
        menu.addMenu(QStringLiteral("Export"))->addAction(QStringLiteral("PNG…"));
        menu.addAction(QStringLiteral("Not now"))->setEnabled(false);
        menu.setActiveAction(menu.actions().front());
        menu.resize(menu.sizeHint());
        test::savePicture(menu, QStringLiteral("menu") + suffix);
    }
    theme().apply(ThemeMode::light);
}

}  // namespace
}  // namespace tessera::ui
