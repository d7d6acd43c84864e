#include "ui/views/runs/model_document.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QAction>
#include <QByteArrayList>
#include <QComboBox>
#include <QDialog>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <map>
#include <set>
#include <utility>

#include "core/base/units.h"
#include "core/model/graph_hierarchy.h"
#include "core/model/layers.h"
#include "core/model/memory.h"
#include "core/model/model.h"
#include "core/study/partition/outcome.h"
#include "core/study/result.h"
#include "tests/support/paths.h"
#include "tests/support/pictures.h"
#include "ui/models/table_model.h"
#include "ui/theme/theme.h"
#include "ui/views/graph/graph_view.h"
#include "ui/views/table_view.h"

namespace tessera::ui {
namespace {

bool waitForModel(const ModelDocument& document) {
    return test::waitUntil([&] { return document.isLoaded() || !document.problem().isEmpty(); }, 20'000) &&
           document.problem().isEmpty();
}

QString labelsOf(const QWidget& widget) {
    QString all;
    for (const QLabel* label : widget.findChildren<QLabel*>()) all += label->text() + QLatin1Char('\n');
    return all.replace(QChar::Nbsp, QLatin1Char(' '));
}

QAction* actionNamed(ModelDocument& document, const QString& start) {
    for (QAction* action : document.documentActions())
        if (action->text().startsWith(start)) return action;
    return nullptr;
}

struct Shown {
    const char* key;
    const char* name;
};

class ModelPictures : public testing::TestWithParam<Shown> {};

TEST_P(ModelPictures, areWorthLookingAt) {
    const QString given = QString::fromLatin1(GetParam().key);
    const QString key = given.startsWith(QStringLiteral("zoo:"))
                            ? given
                            : QString::fromStdString(test::sourcePath("tests/data/" + given.toStdString()).string());
    for (const ThemeMode mode : {ThemeMode::light, ThemeMode::dark}) {
        theme().apply(mode);
        ModelDocument document(key);
        document.resize(1280, 800);
        document.show();
        ASSERT_TRUE(waitForModel(document)) << document.problem().toStdString();
        const QString name = QStringLiteral("model-%1-%2")
                                 .arg(QLatin1String(GetParam().name),
                                      mode == ThemeMode::dark ? QStringLiteral("dark") : QStringLiteral("light"));
        EXPECT_GT(test::coloursIn(test::savePicture(document, name)), 20);
    }
    theme().apply(ThemeMode::light);
}

INSTANTIATE_TEST_SUITE_P(models, ModelPictures,
                         testing::Values(Shown{"zoo:resnet50", "resnet50"}, Shown{"zoo:vgg19", "vgg19"},
                                         Shown{"zoo:googlenet", "googlenet"}, Shown{"zoo:densenet121", "densenet121"},
                                         Shown{"zoo:unet", "unet"}, Shown{"models/bert_large_512.onnx", "bert"},
                                         Shown{"models/gpt2_small.onnx", "gpt2"},
                                         Shown{"models/dlrm_criteo_kaggle.onnx", "dlrm"}));

TEST(ModelDocument, beginsWithTheHeadline) {
    ModelDocument document(QStringLiteral("zoo:resnet50"));
    document.resize(1280, 800);
    EXPECT_EQ(document.title(), QStringLiteral("resnet50"));
    ASSERT_TRUE(waitForModel(document));
    const QString labels = labelsOf(document);
    EXPECT_TRUE(labels.contains(QStringLiteral("25.6 M parameters"))) << labels.toStdString();
    EXPECT_TRUE(labels.contains(QStringLiteral("54 weighted layers"))) << labels.toStdString();
    EXPECT_EQ(document.exportables().size(), 4);
}

TEST(ModelDocument, nothingIsCutFromSixHundredPixelsUp) {
    theme().apply(ThemeMode::light);
    ModelDocument document(QString::fromStdString(test::sourcePath("tests/data/models/bert_large_512.onnx").string()));
    document.resize(1440, 900);
    document.show();
    ASSERT_TRUE(waitForModel(document));
    const QLabel* facts = nullptr;
    for (const auto* label : document.findChildren<QLabel*>())
        if (label->accessibleName() == QStringLiteral("Counts of the model")) facts = label;
    ASSERT_NE(facts, nullptr);
    for (const int width : {600, 700, 820, 1000, 1280, 1440, 1920}) {
        document.resize(width, 800);
        QCoreApplication::processEvents();
        EXPECT_EQ(document.width(), width) << "its parts fit";
        EXPECT_GE(facts->height(), facts->heightForWidth(facts->width())) << width;
        for (const auto* widget : document.findChildren<QWidget*>()) {
            if (!widget->isVisible() || widget->parentWidget() == nullptr) continue;
            const bool isControl = qobject_cast<const QToolButton*>(widget) != nullptr ||
                                   qobject_cast<const QSpinBox*>(widget) != nullptr ||
                                   qobject_cast<const QComboBox*>(widget) != nullptr;
            if (!isControl) continue;
            EXPECT_LE(widget->mapTo(&document, QPoint(widget->width(), 0)).x(), width)
                << width << ": " << widget->accessibleName().toStdString();
            if (widget->accessibleName() == QStringLiteral("Colour by")) {
                EXPECT_GE(widget->width(), widget->sizeHint().width()) << width;
            }
        }
        if (width == 600 || width == 1440) test::savePicture(document, QStringLiteral("model-wide-%1").arg(width));
    }
}

/// A message of an ONNX file, field by field.
class Message {
public:
    Message& number(int field, quint64 value) {
        varint(static_cast<quint64>(field) << 3U);
        varint(value);
        return *this;
    }
    Message& part(int field, const QByteArray& bytes) {
        varint((static_cast<quint64>(field) << 3U) | 2U);
        varint(static_cast<quint64>(bytes.size()));
        bytes_ += bytes;
        return *this;
    }
    Message& part(int field, const Message& message) { return part(field, message.bytes_); }
    const QByteArray& bytes() const { return bytes_; }

private:
    void varint(quint64 value) {
        for (; value > 127; value >>= 7U) bytes_ += static_cast<char>((value & 127U) | 128U);
        bytes_ += static_cast<char>(value);
    }
    QByteArray bytes_;
};

/// A tensor of floats whose dimensions are numbers or names; without any, of a shape that is to be inferred.
Message tensorNamed(const QByteArray& name, const QByteArrayList& dimensions) {
    Message shape;
    for (const QByteArray& dimension : dimensions) {
        bool isNumber = false;
        const auto number = dimension.toULongLong(&isNumber);
        shape.part(1, isNumber ? Message().number(1, number) : Message().part(2, dimension));
    }
    Message type = Message().number(1, 1);
    if (!dimensions.isEmpty()) type.part(2, shape);
    return Message().part(1, name).part(2, Message().part(1, type));
}

/// One matrix product whose length is a symbol.
QString symbolicModel(const QTemporaryDir& folder) {
    const Message node = Message().part(1, "x").part(1, "w").part(2, "y").part(3, "fc").part(4, "MatMul");
    const Message weight =
        Message().number(1, 8).number(1, 4).number(2, 1).part(8, "w").part(9, QByteArray(8 * 4 * 4, '\0'));
    const Message graph = Message()
                              .part(1, node)
                              .part(2, "symbolic")
                              .part(5, weight)
                              .part(11, tensorNamed("x", {"1", "a sequence of any length", "8"}))
                              .part(12, tensorNamed("y", {}));
    const Message model = Message().number(1, 8).part(7, graph).part(8, Message().number(2, 17));
    QFile file(folder.filePath(QStringLiteral("symbolic.onnx")));
    if (file.open(QIODevice::WriteOnly)) file.write(model.bytes());
    return file.fileName();
}

TEST(ModelDocument, explainsItsCounts) {
    ModelDocument document(QStringLiteral("zoo:resnet50"));
    document.resize(1280, 800);
    ASSERT_TRUE(waitForModel(document));
    const Facts facts = document.overview();
    QStringList explained;
    for (const Facts::Row& row : facts.sections.front().rows) {
        if (!row.explain) continue;
        const auto explanation = row.explain();
        ASSERT_TRUE(explanation) << row.label.toStdString();
        EXPECT_EQ(QString::fromStdString(explanation->exact).section(QLatin1Char(' '), 0, 0), row.exact);
        explained << row.label;
    }
    EXPECT_EQ(explained, (QStringList{QStringLiteral("Parameters"), QStringLiteral("MACs"), QStringLiteral("Work"),
                                      QStringLiteral("Activations")}));
    // The table of memory by the same dialog.
    for (auto* table : document.findChildren<TableView*>())
        if (table->view()->model()->headerData(0, Qt::Horizontal).toString() == QStringLiteral("What"))
            emit table->explainRequested(2, 1);
    const auto* dialog = document.findChild<QDialog*>();
    ASSERT_NE(dialog, nullptr);
    EXPECT_TRUE(labelsOf(*dialog).contains(QStringLiteral("2 moments × 4 bytes × parameters")))
        << labelsOf(*dialog).toStdString();
    test::savePicture(*const_cast<QDialog*>(dialog), QStringLiteral("explain-model"));
}

TEST(ModelDocument, asksForOpenDimensions) {
    const QTemporaryDir folder;
    ModelDocument document(symbolicModel(folder));
    document.resize(900, 600);
    ASSERT_TRUE(waitForModel(document)) << document.problem().toStdString();
    EXPECT_FALSE(labelsOf(document).contains(QStringLiteral("MACs"))) << "unknown as long as the length is open";
    QSpinBox* field = nullptr;
    for (auto* each : document.findChildren<QSpinBox*>())
        if (each->accessibleName() == QStringLiteral("a sequence of any length")) field = each;
    ASSERT_NE(field, nullptr);
    EXPECT_EQ(field->text(), QStringLiteral("open"));
    field->setValue(10);
    ASSERT_TRUE(test::waitUntil([&] { return labelsOf(document).contains(QStringLiteral("320 MACs")); }, 10'000))
        << labelsOf(document).toStdString();
    test::savePicture(document, QStringLiteral("model-dimensions"));
    field->setValue(0);
    EXPECT_TRUE(test::waitUntil([&] { return !labelsOf(document).contains(QStringLiteral("MACs")); }, 10'000));
}

TEST(ModelDocument, tellsWhatWentWrongAndTriesAgain) {
    ModelDocument document(QStringLiteral("zoo:resnet51"));
    QSignalSpy failed(&document, &ModelDocument::failed);
    ASSERT_TRUE(failed.wait(10'000));
    EXPECT_TRUE(document.problem().contains(QStringLiteral("resnet50"))) << document.problem().toStdString();
    auto* retry = document.findChild<QPushButton*>();
    ASSERT_NE(retry, nullptr);
    QTest::mouseClick(retry, Qt::LeftButton);
    EXPECT_TRUE(failed.wait(10'000));
}

TEST(ModelDocument, tellsTheInspectorAboutTheSelectedOperator) {
    ModelDocument document(QStringLiteral("zoo:resnet50"));
    document.resize(1280, 800);
    ASSERT_TRUE(waitForModel(document));
    Facts facts;
    QObject::connect(&document, &Document::inspected, [&](const Facts& given) { facts = given; });
    document.graphView()->search(QStringLiteral("layer3.1.conv2"));
    ASSERT_TRUE(waitForModel(document));
    EXPECT_EQ(facts.title, QStringLiteral("layer3.1.conv2"));
    EXPECT_EQ(facts.subtitle, QStringLiteral("Conv 3×3"));
    QStringList rows;
    for (const Facts::Section& section : facts.sections)
        for (const Facts::Row& row : section.rows) rows << row.label + QStringLiteral(": ") + row.value;
    const QString all = rows.join(QLatin1Char('\n'));
    EXPECT_TRUE(all.contains(QStringLiteral("MACs: 116 M"))) << all.toStdString();
    EXPECT_TRUE(all.contains(QStringLiteral("1×256×14×14 float32"))) << all.toStdString();
    EXPECT_TRUE(all.contains(QStringLiteral("layer: layer3.1.conv2"))) << all.toStdString();
}

TEST(ModelDocument, countsAgainForAnotherBatch) {
    ModelDocument document(QStringLiteral("zoo:lenet5"));
    ASSERT_TRUE(waitForModel(document));
    const QString before = labelsOf(document);
    auto* batch = document.findChild<QSpinBox*>();
    ASSERT_NE(batch, nullptr);
    batch->setValue(64);
    EXPECT_TRUE(test::waitUntil(
        [&] {
            return labelsOf(document) != before && document.isLoaded() &&
                   !labelsOf(document).contains(QStringLiteral("reading"));
        },
        10'000));
    EXPECT_EQ(document.saveView()[QStringLiteral("batch")].toInt(), 64);
}

TEST(ModelDocument, showsLayerTablesToo) {
    ModelDocument document(QString::fromStdString(test::sourcePath("tests/data/tables/residual.json").string()));
    document.resize(1280, 800);
    ASSERT_TRUE(waitForModel(document)) << document.problem().toStdString();
    EXPECT_GT(document.graphView()->visibleCount(), 1);
    test::savePicture(document, QStringLiteral("model-table"));
}

TEST(ModelDocument, offersAStudyWithTheModel) {
    ModelDocument document(QStringLiteral("zoo:lenet5"));
    ASSERT_TRUE(waitForModel(document));
    QSignalSpy opened(&document, &Document::openRequested);
    QAction* action = actionNamed(document, QStringLiteral("New partition study"));
    ASSERT_NE(action, nullptr);
    action->trigger();
    ASSERT_EQ(opened.size(), 1);
    EXPECT_EQ(opened[0][0].toString(), QStringLiteral("study"));
    EXPECT_EQ(opened[0][1].toString(), QStringLiteral("new/partition?model=zoo:lenet5"));
}

TEST(ModelDocument, coloursByWhatARunFound) {
    ModelDocument document(QStringLiteral("zoo:alexnet"));
    document.resize(1280, 800);
    ASSERT_TRUE(waitForModel(document));
    const model::LayerGraph layers = model::layerGraph(model::loadModel("zoo:alexnet"));
    auto result = std::make_shared<study::Result>();
    study::PartitionOutcome outcome;
    partition::Plan plan;
    plan.strategy = "accpar";
    partition::LevelPlan level;
    partition::PlanRows<partition::LayerPlan>::Maker made;
    for (std::size_t i = 0; i < layers.layers.size(); ++i) {
        outcome.result.names.push_back(layers.layers[i].name);
        partition::LayerPlan layer;
        layer.layer = static_cast<std::int32_t>(i);
        layer.type = static_cast<partition::Type>(i % 3);
        layer.compute.value = 1e-3 * static_cast<double>(i + 1);
        made.add(layer);
    }
    level.layers = std::move(made).rows();
    plan.levels.push_back(level);
    outcome.result.plans.push_back(plan);
    result->outcome = outcome;
    document.setOverlay(result);
    EXPECT_EQ(document.graphView()->colourBy(), ColourBy::partitionType);
    std::set<std::string> colours;
    for (const report::Card& card : document.graphView()->picture().cards) colours.insert(card.colour);
    EXPECT_GE(colours.size(), 3U);
    test::savePicture(document, QStringLiteral("model-types"));
    actionNamed(document, QStringLiteral("Colour by time"))->trigger();
    test::savePicture(document, QStringLiteral("model-time"));
}

TEST(ModelDocument, hasTablesOfOperatorsLayersAndMemory) {
    ModelDocument document(QStringLiteral("zoo:resnet50"));
    document.resize(1280, 800);
    ASSERT_TRUE(waitForModel(document));
    auto* tabs = document.findChild<QTabWidget*>();
    ASSERT_NE(tabs, nullptr);
    for (int i = 1; i < tabs->count(); ++i) {
        tabs->setCurrentIndex(i);
        test::savePicture(document, QStringLiteral("model-tab%1").arg(i));
    }
    const model::Model model = model::loadModel("zoo:resnet50");
    const model::Summary summary = model::summarise(*model.graph());
    const model::LayerGraph layers = model::layerGraph(model);
    const auto views = document.findChildren<TableView*>();
    ASSERT_EQ(views.size(), 3);
    std::map<QString, const QAbstractItemModel*> tables;
    for (const TableView* view : views) {
        const QAbstractItemModelTester tester(view->view()->model(),
                                              QAbstractItemModelTester::FailureReportingMode::Fatal);
        tables[view->view()->model()->headerData(0, Qt::Horizontal).toString()] = view->view()->model();
    }
    const auto column = [&](const char* table, const char* title) {
        for (int i = 0; i < tables.at(QLatin1String(table))->columnCount(); ++i)
            if (tables.at(QLatin1String(table))->headerData(i, Qt::Horizontal).toString() == QLatin1String(title))
                return i;
        ADD_FAILURE() << table << " has no column " << title;
        return 0;
    };
    const auto sum = [&](const char* table, const char* title) {
        double whole = 0;
        for (int row = 0; row < tables.at(QLatin1String(table))->rowCount(); ++row)
            whole += tables.at(QLatin1String(table))->index(row, column(table, title)).data(sortRole).toDouble();
        return whole;
    };
    // Every operator has its row, and its counts add up to the model's.
    EXPECT_EQ(tables.at(QStringLiteral("Operator"))->rowCount(), summary.operators);
    EXPECT_EQ(sum("Operator", "Parameters"), static_cast<double>(*summary.parameters));
    EXPECT_EQ(sum("Operator", "MACs"), static_cast<double>(*summary.macs));
    EXPECT_EQ(sum("Operator", "FLOPs"), static_cast<double>(*summary.flopsMatrix + *summary.flopsVector));
    EXPECT_EQ(sum("Operator", "Activations"), 4.0 * static_cast<double>(*summary.activationElements));
    // So do the layers'; a cell shows its value rounded, with its unit.
    ASSERT_EQ(tables.at(QStringLiteral("Layer"))->rowCount(), static_cast<int>(layers.layers.size()));
    double parameters = 0;
    double macs = 0;
    for (std::size_t i = 0; i < layers.layers.size(); ++i) {
        const model::Layer& layer = layers.layers[i];
        const auto* table = tables.at(QStringLiteral("Layer"));
        const auto cell = [&](const char* title) { return table->index(static_cast<int>(i), column("Layer", title)); };
        EXPECT_EQ(cell("Layer").data().toString().toStdString(), layer.name);
        EXPECT_EQ(cell("FLOPs").data(sortRole).toDouble(), 2 * macsPerSample(layer)) << layer.name;
        EXPECT_EQ(cell("FLOPs").data().toString().toStdString(),
                  formatQuantity(2 * macsPerSample(layer), Measure::flops));
        parameters += layer.parameters;
        macs += macsPerSample(layer);
    }
    EXPECT_EQ(sum("Layer", "Parameters"), parameters);
    EXPECT_EQ(sum("Layer", "MACs"), macs);
    // Memory, class by class.
    const auto parts =
        model::trainingMemory(model, model::totalsOf(*model.graph(), model::hierarchyOf(*model.graph())).front());
    const auto* memory = tables.at(QStringLiteral("What"));
    ASSERT_EQ(memory->rowCount(), static_cast<int>(parts.size()));
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const QModelIndex cell = memory->index(static_cast<int>(i), column("What", "Bytes"));
        EXPECT_EQ(cell.data(sortRole).toDouble(), parts[i].bytes.value_or(-1)) << nameOf(parts[i].use);
        EXPECT_EQ(cell.data().toString().toStdString(), formatQuantity(*parts[i].bytes, Measure::bytes));
    }
}

}  // namespace
}  // namespace tessera::ui
