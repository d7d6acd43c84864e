#include "ui/editors/editor_document.h"

#include <QAction>
#include <QKeyEvent>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QTimer>
#include <QUndoStack>
#include <QVBoxLayout>
#include <utility>

#include "core/base/json.h"
#include "core/base/made_file.h"
#include "ui/editors/editor_content.h"
#include "ui/editors/name_dialog.h"
#include "ui/models/background.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

EditorContent::EditorContent(EditorDocument* owner, const QString& kind, EditorCore::Check check, const QString& title)
    : document(owner),
      core(kind, std::move(check), owner),
      frame(new EditorFrame(kind, owner)),
      saveButton(new QPushButton(u"Save"_s, owner)),
      saveTitle(title) {
    auto* layout = bareLayout<QVBoxLayout>(owner);
    layout->addWidget(frame);
    frame->setTitle(u"Opening…"_s, {});
    saveButton->setEnabled(false);
    frame->buttons()->addWidget(saveButton);
    QObject::connect(saveButton, &QPushButton::clicked, owner, &EditorDocument::save);
    QObject::connect(&core, &EditorCore::checked, owner, [this] { showChecked(); });
    QObject::connect(&core, &EditorCore::modifiedChanged, owner, [this] {
        showDocument();
        emit document->modifiedChanged();
    });
    QObject::connect(&core.document(), &EditedJson::changed, owner, [this] { showDocument(); });
    QObject::connect(frame, &EditorFrame::removalChosen, &core, &EditorCore::takeOut);
    QObject::connect(frame, &EditorFrame::problemChosen, owner, &EditorDocument::showPlace);
}

void EditorContent::open(Opened (*read)(const QString& key)) {
    inBackground(
        document, [key = document->key(), read] { return read(key); }, [this](const Opened& opened) { start(opened); });
}

void EditorContent::start(const Opened& opened) {
    if (!opened.problem.isEmpty()) {
        frame->setTitle(document->key(), {});
        frame->setRefusal(opened.problem);
        emit document->messaged(opened.problem, {});
        return;
    }
    core.start(opened.file, opened.json);
    build(opened.json);
    built = true;
    frame->offerRecovery(core);
    showDocument();
    const QWidget* focused = document->window()->focusWidget();
    // The fields are not shown before the event loop runs, and what is not shown takes no focus.
    if (focused == nullptr || document->isAncestorOf(focused)) QTimer::singleShot(0, frame, [this] { focusFirst(); });
    if (!pendingView.isEmpty()) document->restoreView(std::exchange(pendingView, {}));
}

QAction* EditorContent::addAction(const QString& title, const QString& icon, const QKeySequence& keys,
                                  std::function<void()> run) {
    auto* action = new QAction(theme().icon(icon), title, document);
    action->setShortcut(keys);
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    QObject::connect(action, &QAction::triggered, document, [this, run = std::move(run)] {
        if (core.isStarted()) run();
    });
    document->addAction(action);
    actions.push_back(action);
    return action;
}

void EditorContent::showDocument() {
    if (!built) return;
    const bool isNew = core.file().path.empty();
    const bool isMade = isMadeFile(core.file().path);
    QString caption = kindTitle();
    if (isNew)
        caption = u"%1 · not saved yet"_s.arg(caption);
    else if (isMade)
        caption = u"%1 · made of a run, not saved yet"_s.arg(caption);
    else if (!core.file().own)
        caption = u"%1 · comes with Tessera"_s.arg(caption);
    else if (core.isModified())
        caption = u"%1 · edited"_s.arg(caption);
    core.setTitle(name());
    frame->setTitle(name().trimmed().isEmpty() ? u"Without a name"_s : name(), caption);
    saveButton->setText(core.file().own && !isNew ? u"Save"_s : saveTitle + u"…"_s);
    saveButton->setEnabled(core.isModified() || isNew || isMade);
    showValues();
    emit document->titleChanged();
}

bool EditorContent::write(const EditedFile& file) {
    try {
        saveInto(file);
        document->setKey(file.key);
        showDocument();
        return true;
    } catch (const std::exception& error) {
        const QString sentence = shownText(error.what(), 1000);
        frame->setNotice(sentence,
                         {{u"Save under another name…"_s, [this] { document->saveAs(); }}, {u"Not now"_s, [] {}}});
        emit document->messaged(sentence, {});
        return false;
    }
}

Exportable EditorContent::documentExport(const QString& title) const {
    return {.name = nameFromTitle(document->title()),
            .json = [json = core.json()] { return toText(json); },
            .jsonTitle = title};
}

EditorDocument::~EditorDocument() = default;

void EditorDocument::takeDown() {
    content_->built = false;
    delete content_->frame;
}

QUndoStack* EditorDocument::undoStack() {
    return content_->core.document().undoStack();
}

bool EditorDocument::isModified() const {
    return content_->core.isStarted() && content_->core.isModified();
}

bool EditorDocument::save() {
    const EditedFile& file = content_->core.file();
    if (!content_->core.isStarted()) return true;
    if (!file.own || file.path.empty()) return saveAs();
    return content_->isComplete() && content_->write(file);
}

bool EditorDocument::saveAs() {
    if (!content_->core.isStarted() || !content_->isComplete()) return false;
    NameDialog dialog(content_->saveTitle, content_->proposedName(), ownFolder(content_->folder()), this);
    if (dialog.exec() != QDialog::Accepted) return false;
    return dialog.otherPlace().isEmpty() ? saveAs(dialog.name()) : saveTo(dialog.otherPlace());
}

bool EditorDocument::saveAs(const QString& name) {
    if (!content_->core.isStarted() || !problemOfName(name).isEmpty() || !content_->isComplete()) return false;
    return content_->write(placeInLibrary(content_->folder(), content_->keyPrefix(), name));
}

bool EditorDocument::saveTo(const QString& path) {
    return content_->core.isStarted() && content_->isComplete() &&
           content_->write(placeAt(path, content_->folder(), content_->keyPrefix()));
}

QVector<QAction*> EditorDocument::documentActions() {
    return content_->actions;
}

QJsonObject EditorDocument::saveView() const {
    if (!content_->built) return content_->pendingView;
    QJsonObject view = content_->ownView();
    view[u"scroll"_s] = content_->frame->scroll()->verticalScrollBar()->value();
    return view;
}

void EditorDocument::restoreView(const QJsonObject& view) {
    if (!content_->built) {
        content_->pendingView = view;
        return;
    }
    content_->restoreOwnView(view);
    content_->frame->scroll()->verticalScrollBar()->setValue(view[u"scroll"_s].toInt());
}

bool EditorDocument::showPlace(const QString& place) {
    if (content_->built) content_->goTo(place.toStdString());
    return content_->built;
}

void EditorDocument::offerChoices() {
    if (!content_->built) return;
    content_->offerChoices();
    content_->core.recheck();
}

void EditorDocument::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Undo))
        undoStack()->undo();
    else if (event->matches(QKeySequence::Redo))
        undoStack()->redo();
    else
        Document::keyPressEvent(event);
}

}  // namespace tessera::ui
