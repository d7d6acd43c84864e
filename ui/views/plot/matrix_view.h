#pragma once

#include <QStringList>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/draw/matrix_layout.h"
#include "ui/views/plot/picture_view.h"

namespace tessera::ui {

/// A report::MatrixPicture. The row under the mouse is ringed in every field; a click on a row chooses it, one on a
/// field its two values. With the keyboard, arrows go from field to field, Enter chooses one.
class MatrixView : public PictureView {
    Q_OBJECT

public:
    explicit MatrixView(QWidget* parent = nullptr);

    void setPicture(report::MatrixPicture picture);
    const report::MatrixPicture& picture() const;
    /// Rows that are shown; empty = all.
    void setShown(std::vector<std::uint8_t> shown);
    void setSelected(int row);  ///< -1 = none
    void setHovered(int row);   ///< under the mouse of another view, without a signal
    void setCard(std::function<QStringList(int row)> card);
    const report::MatrixLayout& layout();

signals:
    void rowClicked(int row);
    void rowHovered(int row);                ///< -1 = none
    void fieldChosen(int xAxis, int yAxis);  ///< of a field where no row is

private:
    struct Implementation;
    Implementation* d_;
};

}  // namespace tessera::ui
