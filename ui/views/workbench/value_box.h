#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "core/explore/point_table.h"
#include "ui/views/fitting_box.h"

namespace tessera::ui {

/// A list of the values of points, of which one is chosen, or none.
class ValueBox : public FittingBox {
    Q_OBJECT

public:
    /// `none` is the entry for no value; empty = there is always one.
    explicit ValueBox(const QString& name, const QString& none = {}, QWidget* parent = nullptr);

    /// Offers the columns that `wanted` takes, all without it. Keeps what is chosen, by its id.
    void fill(const explore::PointTable& points,
              const std::function<bool(const explore::PointColumn& column)>& wanted = {});
    std::optional<std::size_t> column() const;
    void setColumn(std::optional<std::size_t> column);  ///< without a signal
    QString id() const { return currentData().toString(); }
    QSize sizeHint() const override;  ///< as wide as its title, within bounds

signals:
    void chosen();  ///< by the user

private:
    struct Entry {
        std::size_t column = 0;
        QString id, title, help;
        bool operator==(const Entry&) const = default;
    };
    QString none_;
    std::vector<Entry> entries_;  ///< without the one for no value
};

}  // namespace tessera::ui
