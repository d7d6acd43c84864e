#include "ui/views/picture_alone.h"

#include <QEvent>
#include <QFrame>
#include <QHBoxLayout>
#include <QPointer>
#include <QScrollArea>
#include <QShortcut>
#include <QSplitter>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>
#include <utility>

#include "ui/theme/theme.h"
#include "ui/views/document.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr const char* kStandsAlone = "standsAlone";

/// What is moved for a picture: the scroll area that it fills, where it is as tall as it needs.
QWidget& movedFor(QWidget& picture) {
    QWidget* viewport = picture.parentWidget();
    auto* area = viewport == nullptr ? nullptr : qobject_cast<QScrollArea*>(viewport->parentWidget());
    return area != nullptr && area->widget() == &picture ? *area : picture;
}

QWidget& pageOf(QWidget& picture) {
    for (QWidget* around = picture.parentWidget(); around != nullptr; around = around->parentWidget())
        if (qobject_cast<Document*>(around) != nullptr) return *around;
    return *picture.window();
}

/// Puts a widget where another one is; false where that has no layout.
bool putInto(QWidget& old, QWidget& fresh) {
    QWidget* parent = old.parentWidget();
    if (auto* splitter = qobject_cast<QSplitter*>(parent)) {
        const QList<int> sizes = splitter->sizes();
        splitter->replaceWidget(splitter->indexOf(&old), &fresh);
        splitter->setSizes(sizes);
        return true;
    }
    if (parent == nullptr || parent->layout() == nullptr) return false;
    delete parent->layout()->replaceWidget(&old, &fresh);
    return fresh.parentWidget() == parent;
}

/// Covers a page with one of its pictures.
class Alone : public QFrame {
public:
    Alone(QWidget& picture, QWidget& page)
        : QFrame(&page), picture_(&picture), moved_(&movedFor(picture)), place_(new QWidget) {
        setProperty("ground", "surface");
        setAutoFillBackground(true);
        place_->setSizePolicy(moved_->sizePolicy());
        if (!putInto(*moved_, *place_)) {
            delete std::exchange(place_, nullptr);
            deleteLater();
            return;
        }
        place_->show();
        auto* column = new QVBoxLayout(this);
        const int space = theme().spacing(3);
        column->setContentsMargins(space, space, space, space);
        column->setSpacing(theme().spacing());
        column->addLayout(head());
        column->addWidget(moved_, 1);
        moved_->show();
        auto* escape = new QShortcut(Qt::Key_Escape, this, nullptr, nullptr, Qt::WidgetWithChildrenShortcut);
        connect(escape, &QShortcut::activated, this, &Alone::putBack);
        // Together with its place goes the picture.
        connect(place_, &QObject::destroyed, this, [this] {
            place_ = nullptr;
            hide();
            deleteLater();
        });
        page.installEventFilter(this);
        place_->installEventFilter(this);
        setGeometry(page.rect());
        show();
        raise();
        picture_->setFocus();
    }

    const QWidget* picture() const { return picture_; }

    void putBack() {
        if (place_ == nullptr) return;
        QWidget* place = std::exchange(place_, nullptr);
        place->disconnect(this);
        layout()->removeWidget(moved_);
        putInto(*place, *moved_);
        moved_->show();
        delete place;
        picture_->setFocus();
        hide();
        deleteLater();
    }

    bool eventFilter(QObject* watched, QEvent* event) override {
        if (watched == parentWidget() && event->type() == QEvent::Resize) setGeometry(parentWidget()->rect());
        // Another tab was opened below: this is no longer the page's picture. A page that is itself hidden comes back.
        if (watched == place_ && event->type() == QEvent::Hide && parentWidget()->isVisible())
            QTimer::singleShot(0, this, &Alone::putBack);
        return false;
    }

private:
    QHBoxLayout* head() {
        auto* line = new QHBoxLayout;
        line->addStretch();  // the picture has its title
        auto* back = new QToolButton;
        back->setIcon(theme().icon(u"collapse"_s, "secondary"));
        back->setText(u"Back to the page"_s);
        back->setToolTip(u"Puts the picture back (Escape)"_s);
        back->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        back->setAutoRaise(true);
        connect(back, &QToolButton::clicked, this, &Alone::putBack);
        line->addWidget(back);
        return line;
    }

    QPointer<QWidget> picture_;
    QWidget* moved_;
    QWidget* place_;  ///< stands where the picture belongs; null = it is back there
};

Alone* aloneOf(const QWidget& picture) {
    for (QWidget* around = picture.parentWidget(); around != nullptr; around = around->parentWidget())
        if (auto* alone = dynamic_cast<Alone*>(around)) return alone;
    return nullptr;
}

}  // namespace

void setStandsAlone(QWidget& picture) {
    picture.setProperty(kStandsAlone, true);
}

void toggleAlone(QWidget& picture) {
    if (Alone* alone = aloneOf(picture))
        alone->putBack();
    else if (!picture.isWindow())
        new Alone(picture, pageOf(picture));
}

bool isAlone(const QWidget& picture) {
    return aloneOf(picture) != nullptr;
}

QWidget* pictureOn(QWidget& page) {
    QWidget* best = nullptr;
    const auto rank = [&](const QWidget& picture) {
        return isAlone(picture) ? 3 : picture.hasFocus() ? 2 : picture.underMouse() ? 1 : 0;
    };
    const auto area = [](const QWidget& picture) { return static_cast<qint64>(picture.width()) * picture.height(); };
    for (QWidget* picture : page.findChildren<QWidget*>()) {
        if (!picture->property(kStandsAlone).toBool() || !picture->isVisible()) continue;
        // Of two that are about as large, the first.
        const bool isOther = best == nullptr || rank(*best) < rank(*picture) ||
                             (rank(*best) == rank(*picture) && 3 * area(*best) < 2 * area(*picture));
        if (isOther) best = picture;
    }
    return best;
}

}  // namespace tessera::ui
