#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "ui/jobs/run_state.h"
#include "ui/views/document.h"

namespace tessera::ui {

/// 2 to 8 runs side by side (tables up to 200): differences in inputs, metrics with deltas, layer by layer types,
/// charts on common axes, linked timelines. `key` is the runs' numbers: "12,15,16".
class CompareDocument : public Document {
    Q_OBJECT

public:
    explicit CompareDocument(const QString& key, QWidget* parent = nullptr);
    ~CompareDocument() override;
    QString kind() const override { return QStringLiteral("compare"); }
    QString title() const override;
    QString iconName() const override { return QStringLiteral("compare"); }
    QVector<Exportable> exportables() override;
    QJsonObject saveView() const override;
    void restoreView(const QJsonObject& view) override;
    /// The history that kept runs are in, where their models are read; before `setRuns`.
    void setHistory(const std::filesystem::path& history);
    void setRuns(const std::vector<RunState>& runs);

    void setBaseline(int run);  ///< what deltas and ratios refer to
    int baseline() const;
    void chooseLayer(const QString& layer);  ///< in every part that knows it

private:
    struct Implementation;
    std::unique_ptr<Implementation> d_;
};

}  // namespace tessera::ui
