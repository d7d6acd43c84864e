#include "ui/editors/section.h"

#include <QAbstractButton>
#include <QPainter>
#include <QVBoxLayout>

#include "ui/theme/theme.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

/// The title of a section: it stands where other titles stand, which a tool button with its padding does not.
class Section::Head : public QAbstractButton {
public:
    Head(const QString& title, QWidget* parent) : QAbstractButton(parent) {
        setText(title);
        setFont(theme().font(Theme::Text::base, true));
        setFocusPolicy(Qt::StrongFocus);
        setCursor(Qt::PointingHandCursor);
        setAttribute(Qt::WA_Hover);
    }
    QSize sizeHint() const override {
        return {textLeft() + fontMetrics().horizontalAdvance(text()) + theme().spacing(2), theme().size("row")};
    }
    void setOpen(bool open) {
        sign_ = open ? u"down"_s : u"right"_s;
        update();
    }

protected:
    void paintEvent(QPaintEvent* /*event*/) override {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        const int side = theme().size("icon");
        theme().icon(sign_, "secondary").paint(&painter, QRect(-theme().spacing(), (height() - side) / 2, side, side));
        painter.setFont(font());
        painter.setPen(theme().colour(underMouse() ? "accent" : "text"));
        painter.drawText(rect().adjusted(textLeft(), 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, text());
        if (!hasFocus()) return;
        painter.setPen(theme().colour("accent"));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), theme().radius(), theme().radius());
    }

private:
    static int textLeft() { return theme().size("icon"); }
    QString sign_;
};

Section::Section(const QString& title, bool open, QWidget* parent)
    : QWidget(parent), head_(new Head(title, this)), body_(new QWidget(this)), content_(new QVBoxLayout(body_)) {
    auto* layout = bareLayout<QVBoxLayout>(this, theme().spacing(2));
    head_->setAccessibleName(title);
    content_->setContentsMargins(0, 0, 0, 0);
    content_->setSpacing(theme().spacing(4));
    layout->addWidget(head_, 0, Qt::AlignLeft);
    layout->addWidget(body_);
    connect(head_, &QAbstractButton::clicked, this, [this] { setOpen(!isOpen()); });
    setOpen(open);
}

bool Section::isOpen() const {
    return !body_->isHidden();
}

void Section::setOpen(bool open) {
    head_->setOpen(open);
    head_->setAccessibleDescription(open ? u"open"_s : u"folded"_s);
    body_->setVisible(open);
}

}  // namespace tessera::ui
