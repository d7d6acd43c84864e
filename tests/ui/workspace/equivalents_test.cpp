#include "ui/workspace/equivalents.h"

#include <gtest/gtest.h>

#include <QAction>
#include <QDialog>
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/command.h"
#include "core/study/study.h"
#include "tests/support/pictures.h"
#include "tests/support/wait.h"
#include "tests/ui/workspace/open_window.h"
#include "ui/jobs/jobs.h"
#include "ui/views/runs/model_document.h"
#include "ui/views/table_view.h"
#include "ui/workspace/history/history.h"
#include "ui/workspace/questions.h"
#include "ui/workspace/window/main_window.h"

/// The window beside the command line: nothing that one of them does stands alone without a reason.
namespace tessera::ui {
namespace {

using test::waitUntil;

class Equivalents : public test::OpenWindow {
protected:
    void run(const study::Study& study) {
        ask(study);
        ASSERT_TRUE(waitUntil([&] { return window_.jobs().working() == 0; }, 60'000));
        look();
    }
    static study::Study studyOf(const char* engine, const char* model, const char* hardware) {
        study::Study study = study::newStudy(engine);
        study.models = {model};
        study.hardware = {hardware};
        return study;
    }
    /// Notes the actions of the document in front.
    void look() {
        waitUntil([] { return false; }, 100);
        Document* const document = window_.currentDocument();
        for (const QAction* action : document->documentActions())
            seen_[document->kind().toStdString()].emplace(action->objectName(), action->text());
    }
    void lookAtAll() {
        for (const QAction* action : window_.findChildren<QAction*>(QString(), Qt::FindDirectChildrenOnly))
            if (!action->objectName().isEmpty()) seen_["window"].emplace(action->objectName(), action->text());
        run(studyOf("partition", "zoo:lenet5", "accpar-heterogeneous"));
        run(studyOf("predict", "zoo:resnet18", "a100"));
        study::Study mapping = study::newStudy("mapping");
        mapping.workloads = {"zoo:lenet5"};
        mapping.hardware = {"s1"};
        study::setParameter(mapping, "algorithms", {"herald-like"});
        run(mapping);
        auto* model = qobject_cast<ModelDocument*>(window_.open(QStringLiteral("model"), QStringLiteral("zoo:lenet5")));
        ASSERT_NE(model, nullptr);
        ASSERT_TRUE(waitUntil([&] { return model->isLoaded(); }, 20'000));
        look();
        for (const auto& [kind, key] :
             {std::pair{"welcome", ""}, std::pair{"hardware", "fleet/accpar-heterogeneous"},
              std::pair{"hardware", "template/phaze"}, std::pair{"study", "new/partition"},
              std::pair{"study", "new/mapping"}, std::pair{"history", ""}, std::pair{"compare", "1,2"},
              std::pair{"points", "1,2"}, std::pair{"report", "1"}, std::pair{"validation", ""}}) {
            ASSERT_NE(window_.open(QString::fromLatin1(kind), QString::fromLatin1(key)), nullptr) << kind << key;
            look();
        }
    }

    std::map<std::string, std::set<std::pair<QString, QString>>> seen_;  ///< id and text, by place
};

TEST_F(Equivalents, everyActionHasItsCommandOrAReason) {
    lookAtAll();
    std::set<const Equivalent*> met;
    for (const auto& [place, actions] : seen_)
        for (const auto& [id, text] : actions) {
            int rows = 0;
            for (const Equivalent& row : equivalents())
                if (isOf(row, place, id, text)) {
                    ++rows;
                    met.insert(&row);
                }
            EXPECT_EQ(rows, 1) << place << ": " << id.toStdString() << " '" << text.toStdString() << "'";
        }
    for (const Equivalent& row : equivalents())
        EXPECT_TRUE(row.action.empty() || met.contains(&row))
            << "there is no action '" << row.action << "' of " << row.place;
}

TEST_F(Equivalents, everyCommandHasItsActionOrAReason) {
    const auto& commands = cli::commands();
    for (const cli::Command& command : commands)
        EXPECT_TRUE(std::any_of(equivalents().begin(), equivalents().end(), [&](const Equivalent& row) {
            return row.command == command.path;
        })) << command.path;
    for (const Equivalent& row : equivalents()) {
        const bool isCommand = std::any_of(commands.begin(), commands.end(),
                                           [&](const cli::Command& command) { return command.path == row.command; });
        EXPECT_TRUE(row.command.empty() || isCommand) << "there is no command '" << row.command << "'";
        EXPECT_FALSE(row.action.empty() && row.command.empty());
        EXPECT_FALSE((row.action.empty() || row.command.empty()) && row.remark.empty())
            << row.action << row.command << " has neither a partner nor a reason";
    }
}

TEST_F(Equivalents, areShownByTheHelp) {
    window_.actionNamed(QStringLiteral("equivalents"))->trigger();
    auto* dialog = window_.findChild<QDialog*>();
    ASSERT_NE(dialog, nullptr);
    const auto* table = dialog->findChild<TableView*>();
    ASSERT_NE(table, nullptr);
    waitUntil([] { return false; }, 100);
    test::savePicture(*dialog, QStringLiteral("equivalents"));
    EXPECT_NE(table->exportable().csv().find("tessera history compare"), std::string::npos);
}

}  // namespace
}  // namespace tessera::ui
