#include "ui/workspace/welcome_document.h"

#include <QFileInfo>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include "ui/models/background.h"
#include "ui/theme/theme.h"
#include "ui/views/focus_start.h"
#include "ui/workspace/study_card.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr int kMaxCards = 4;
constexpr int kMaxRecentRuns = 6;

QLabel* heading(const QString& text) {
    auto* label = new QLabel(text);
    label->setFont(theme().font(Theme::Text::panelTitle, true));
    return label;
}

QLabel* quiet(const QString& text) {
    auto* label = new QLabel(text);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    setLook(*label, "tone", "secondary");
    return label;
}

/// "1  Pick a model": number, what to do, how.
QWidget* step(int number, const QString& what, const QString& how) {
    auto* box = new QWidget;
    auto* grid = new QGridLayout(box);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(theme().spacing(3));
    grid->setVerticalSpacing(0);
    auto* digit = new QLabel(QString::number(number));
    digit->setFont(theme().font(Theme::Text::headline, true));
    setLook(*digit, "tone", "secondary");
    auto* title = new QLabel(what);
    title->setFont(theme().font(Theme::Text::base, true));
    grid->addWidget(digit, 0, 0, 2, 1, Qt::AlignTop);
    grid->addWidget(title, 0, 1);
    grid->addWidget(quiet(how), 1, 1);
    grid->setColumnStretch(1, 1);
    return box;
}

}  // namespace

WelcomeDocument::WelcomeDocument(QWidget* parent)
    : Document(parent), cards_(new QGridLayout), recent_(new QVBoxLayout) {
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    const int margin = theme().spacing(6);
    column->setContentsMargins(margin, margin, margin, margin);
    column->setSpacing(theme().spacing(3));
    auto* title = new QLabel(u"Explore accelerator choice, placement and model partitioning"_s);
    title->setFont(theme().font(Theme::Text::headline, true));
    title->setWordWrap(true);
    column->addWidget(title);
    column->addWidget(quiet(u"Each of these runs in seconds, on what comes with Tessera. Run one and watch."_s));
    column->addSpacing(theme().spacing(2));
    cards_->setSpacing(theme().spacing(4));
    column->addLayout(cards_);
    column->addSpacing(theme().spacing(3));

    auto* below = bareLayout<QHBoxLayout>(theme().spacing(10));
    auto* steps = bareLayout<QVBoxLayout>(theme().spacing(3));
    steps->addWidget(heading(u"Your own question"_s));
    steps->addWidget(
        step(1, u"Pick a model"_s,
             u"From the library at the left, or drop an ONNX file or a table of layers on this window."_s));
    steps->addWidget(step(2, u"Pick the accelerators"_s,
                          u"A fleet of the library, or your own: File, New fleet. Other questions start with other "
                          "inputs: File, New study lists them all."_s));
    steps->addWidget(
        step(3, u"Press Run"_s, u"Watch it converge, read the split as a picture, compare it with other runs."_s));
    steps->addStretch(1);
    below->addLayout(steps, 3);
    auto* lately = bareLayout<QVBoxLayout>(theme().spacing());
    lately->addWidget(heading(u"Recent"_s));
    lately->addLayout(recent_);
    lately->addStretch(1);
    below->addLayout(lately, 2);
    column->addLayout(below);
    column->addStretch(1);

    auto* scroll = new QScrollArea;
    scroll->setWidget(page);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setAccessibleName(u"Welcome"_s);
    auto* outer = bareLayout<QVBoxLayout>(this);
    outer->addWidget(scroll);
    setFocusStart(*this, *scroll);
    setRecent({});
    inBackground(
        this, [] { return readStudyCards(kMaxCards); }, [this](const QVector<StudyCard>& cards) { setCards(cards); },
        [this](const QString& problem) { emit messaged(problem, {}); });
}

void WelcomeDocument::setCards(const QVector<StudyCard>& cards) {
    for (int i = 0; i < cards.size(); ++i) {
        auto* view = new StudyCardView(cards[i]);
        connect(view, &StudyCardView::runRequested, this, &Document::runRequested);
        connect(view, &StudyCardView::openRequested, this,
                [this](const QString& key) { emit openRequested(u"study"_s, key); });
        cards_->addWidget(view, i / 2, i % 2);
        cards_->setColumnStretch(i % 2, 1);
    }
}

void WelcomeDocument::setRecent(const QVector<RecentFiles::Entry>& entries) {
    while (QLayoutItem* item = recent_->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    for (const RecentFiles::Entry& entry : entries.mid(0, kMaxRecentRuns)) {
        auto* link = new QPushButton(theme().icon(entry.icon, "secondary"),
                                     QFileInfo(entry.path).fileName().replace(QLatin1Char('&'), u"&&"_s));
        setLook(*link, "emphasis", "link");
        link->setToolTip(entry.path.toHtmlEscaped());
        connect(link, &QPushButton::clicked, this, [this, entry] { emit openRequested(entry.kind, entry.path); });
        recent_->addWidget(link, 0, Qt::AlignLeft);
    }
    if (entries.isEmpty()) recent_->addWidget(quiet(u"Files that you open are listed here."_s));
}

}  // namespace tessera::ui
