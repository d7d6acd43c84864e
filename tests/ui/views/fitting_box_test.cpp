#include "ui/views/fitting_box.h"

#include <gtest/gtest.h>

#include <QImage>
#include <QPixmap>
#include <QStyle>
#include <QStyleOptionComboBox>

namespace tessera::ui {
namespace {
using namespace Qt::StringLiterals;

QImage pictureOf(QComboBox& box, const QString& title, int width) {
    box.clear();
    box.addItem(title);
    box.resize(width, box.sizeHint().height());
    return box.grab().toImage();
}

TEST(FittingBox, aTitleWithoutRoomHasAnEllipsis) {
    constexpr int kNarrow = 160, kWide = 600;
    const QString title = u"A  resnet50 on accpar-heterogeneous, batch 512"_s;
    for (const Qt::TextElideMode where : {Qt::ElideMiddle, Qt::ElideRight}) {
        FittingBox box(nullptr, where);
        const QImage narrow = pictureOf(box, title, kNarrow);
        bool found = false;
        // Which letters are left depends on the style's frame.
        for (int room = kNarrow; room > 0 && !found; --room) {
            const QString fitting = box.fontMetrics().elidedText(title, where, room);
            found = fitting.contains(u'…') && pictureOf(box, fitting, kNarrow) == narrow;
        }
        EXPECT_TRUE(found);
        QComboBox plain;
        EXPECT_NE(pictureOf(plain, title, kNarrow), narrow) << "one of Qt's cuts it off";
        EXPECT_EQ(pictureOf(plain, title, kWide), pictureOf(box, title, kWide))
            << "where there is room, nothing changes";
    }
}

}  // namespace
}  // namespace tessera::ui
