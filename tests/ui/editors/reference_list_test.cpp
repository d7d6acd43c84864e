#include "ui/editors/reference_list.h"

#include <gtest/gtest.h>

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

namespace tessera::ui {
namespace {

const InputSlot kOne{.list = "models", .label = "Model", .hint = "", .filter = "", .ask = "", .needed = true};
const InputSlot kSeveral{.list = "models",
                         .label = "Model",
                         .hint = "",
                         .filter = "",
                         .ask = "",
                         .needed = true,
                         .several = true,
                         .another = "Add a model"};

QList<ReferencePicker*> rowsOf(const ReferenceList& list) {
    QList<ReferencePicker*> rows;
    for (ReferencePicker* picker : list.findChildren<ReferencePicker*>())
        if (!picker->parentWidget()->isHidden()) rows << picker;
    return rows;
}

QToolButton* named(const ReferenceList& list, const QString& name) {
    for (QToolButton* button : list.findChildren<QToolButton*>())
        if (button->accessibleName() == name || button->text() == name) return button;
    return nullptr;
}

/// What a user does who writes an input and goes on.
void write(ReferencePicker* row, const QString& text) {
    row->box()->setFocus();
    row->box()->lineEdit()->selectAll();
    QTest::keyClicks(row->box()->lineEdit(), text);
    QTest::keyClick(row->box()->lineEdit(), Qt::Key_Return);
}

TEST(ReferenceList, ShowsOnePickerWhereThereIsOneInput) {
    ReferenceList list(kOne);
    list.setValues({QStringLiteral("a"), QStringLiteral("b")});
    EXPECT_EQ(list.values(), QStringList{QStringLiteral("a")});
    EXPECT_EQ(rowsOf(list).size(), 1);
    EXPECT_EQ(named(list, QStringLiteral("Add a model")), nullptr);
}

/// Whoever types in a line when the form is taken down: nothing is said by what is half gone.
TEST(ReferenceList, EndsInSilenceWithTheFocusInIt) {
    QWidget window;
    auto* list = new ReferenceList(kSeveral, &window);
    window.show();
    window.activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&window));
    QLineEdit* line = rowsOf(*list).front()->box()->lineEdit();
    line->setFocus();
    ASSERT_TRUE(list->hasFocus());
    QTest::keyClicks(line, QStringLiteral("zoo:"));
    int said = 0;
    const auto count = [&said] { ++said; };
    QObject::connect(list, &ReferenceList::finished, &window, count);
    QObject::connect(rowsOf(*list).front(), &ReferencePicker::finished, &window, count);
    delete list;
    EXPECT_EQ(said, 0);
}

TEST(ReferenceList, TakesAnotherInput) {
    ReferenceList list(kSeveral);
    list.show();
    list.setValues({QStringLiteral("zoo:alexnet")});
    QSignalSpy changed(&list, &ReferenceList::changed);
    named(list, QStringLiteral("Add a model"))->click();
    ASSERT_EQ(rowsOf(list).size(), 2);
    EXPECT_EQ(list.values().size(), 1) << "an empty row is no input";
    EXPECT_EQ(changed.size(), 0);
    write(rowsOf(list).at(1), QStringLiteral("zoo:vgg16"));
    ASSERT_GE(changed.size(), 1);
    EXPECT_EQ(changed.last().first().toStringList(),
              (QStringList{QStringLiteral("zoo:alexnet"), QStringLiteral("zoo:vgg16")}));
}

TEST(ReferenceList, MovesInputsUpWhereOneIsRemoved) {
    ReferenceList list(kSeveral);
    list.show();
    list.setValues({QStringLiteral("a"), QStringLiteral("b"), QStringLiteral("c")});
    QSignalSpy finished(&list, &ReferenceList::finished);
    named(list, QStringLiteral("Model 2: remove"))->click();
    EXPECT_EQ(list.values(), (QStringList{QStringLiteral("a"), QStringLiteral("c")}));
    EXPECT_EQ(finished.size(), 1);
    named(list, QStringLiteral("Model 1: remove"))->click();
    EXPECT_EQ(list.values(), QStringList{QStringLiteral("c")});
    EXPECT_TRUE(named(list, QStringLiteral("Model 1: remove"))->isHidden()) << "the last one stays";
}

TEST(ReferenceList, KeepsEmptyRowsWhileTheSameInputsAreSet) {
    ReferenceList list(kSeveral);
    list.setValues({QStringLiteral("a")});
    list.addRow();
    list.setValues({QStringLiteral("a")});
    EXPECT_EQ(rowsOf(list).size(), 2) << "what a user has just added is not taken away by the study that is read again";
    list.setValues({QStringLiteral("b")});
    EXPECT_EQ(rowsOf(list).size(), 1);
}

TEST(ReferenceList, HasNotesBesideTheirInputs) {
    ReferenceList list(kSeveral);
    list.show();
    list.setValues({QStringLiteral("a"), QStringLiteral("b")});
    list.setNotes({{.text = QStringLiteral("8 layers"), .wrong = false},
                   {.text = QStringLiteral("There is no model b."), .wrong = true}});
    const auto noteOf = [&](int row) {
        QStringList texts;
        for (const QLabel* label : rowsOf(list).at(row)->findChildren<QLabel*>())
            if (!label->isHidden()) texts << label->text();
        return texts;
    };
    EXPECT_TRUE(noteOf(0).contains(QStringLiteral("8 layers")));
    EXPECT_TRUE(noteOf(1).contains(QStringLiteral("There is no model b.")));
    list.setValues({});
    list.setNotes({{.text = QStringLiteral("Choose a model."), .wrong = true}});
    EXPECT_TRUE(noteOf(0).contains(QStringLiteral("Choose a model."))) << "what is said of a list without inputs";
}

TEST(ReferenceList, EndsAtItsMost) {
    ReferenceList list(kSeveral);
    for (int i = 0; i < 100; ++i) list.addRow();
    EXPECT_EQ(rowsOf(list).size(), 64);
    EXPECT_FALSE(named(list, QStringLiteral("Add a model"))->isEnabled());
}

}  // namespace
}  // namespace tessera::ui
