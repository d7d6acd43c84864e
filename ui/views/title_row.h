#pragma once

#include <QHeaderView>

namespace tessera::ui {

/// Pixels at either side of what a cell or a title of a table says; as the style sheet has it.
inline constexpr int kSideOfCell = 11;

/// The titles of a table's columns. Long ones are cut in their middle, for names of runs differ at their ends; Qt's own
/// cut is lost under a style sheet.
class TitleRow : public QHeaderView {
public:
    explicit TitleRow(QWidget* parent);

    /// All titles are one line of one font, so one tells the height; Qt's own hint asks the style about up to two
    /// hundred.
    QSize sizeHint() const override;

protected:
    void changeEvent(QEvent* event) override;
    void initStyleOptionForIndex(QStyleOptionHeader* option, int section) const override;

private:
    mutable int height_ = 0;  ///< of a title; 0 = to be asked
};

}  // namespace tessera::ui
