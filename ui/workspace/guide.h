#pragma once

#include <QString>
#include <QStringList>
#include <QVector>

class QWidget;

/// The guide's pages, and which of them a control of the window is about.
namespace tessera::ui {

/// A page of the guide: a file of resources/guide, as its contents list it.
struct GuidePage {
    QString id;     ///< "plan": the file's name without its suffix
    QString title;  ///< "Plan the training of a large model"
};
/// All pages in the order of the contents; those themselves are not among them.
QVector<GuidePage> guidePages();

/// The contents, which is the first page that is shown.
inline const QString kGuideContents = QStringLiteral("README");

/// A place in the guide.
struct GuidePlace {
    QString page = kGuideContents;
    QString section = {};  ///< title of a heading; empty = the whole page
    QString field = {};    ///< label of a field that the page lists, perhaps with its unit; empty = none
};

/// The place of a subject: "document/history", "engine/plan", "pane/jobs", or the class of a control ("Workbench").
/// The contents where the guide says nothing of it.
GuidePlace guidePlaceOf(const QString& subject);
/// All subjects that the guide has a place for.
QStringList guideSubjects();
/// Whether the guide has a place for it.
bool isInGuide(const QString& subject);
/// The place of a control: of itself or the nearest of its parents that the guide is about. A field of a form comes
/// with its label.
GuidePlace guidePlaceOf(const QWidget* control);

/// The text of a page in Markdown, with the lists of fields that the page promises: those of the forms of the engines
/// and hardware that it is about. Empty where there is no such page.
QString guideText(const QString& page);
/// The picture that a page names ("../screenshots/partition.png") as a resource.
QString guidePicture(const QString& name);

}  // namespace tessera::ui
