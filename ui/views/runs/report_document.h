#pragma once

#include <memory>
#include <vector>

#include "core/report/report_document.h"
#include "ui/jobs/run_state.h"
#include "ui/views/document.h"

namespace tessera::ui {

/// A report of chosen runs and sections: preview, HTML (self-contained) and PDF. `key` is the runs' numbers: "12,15".
class ReportDocument : public Document {
    Q_OBJECT

public:
    explicit ReportDocument(const QString& key, QWidget* parent = nullptr);
    ~ReportDocument() override;
    QString kind() const override { return QStringLiteral("report"); }
    QString title() const override;
    QString iconName() const override { return QStringLiteral("report"); }
    QVector<QAction*> documentActions() override;
    QJsonObject saveView() const override;
    void restoreView(const QJsonObject& view) override;
    void setRuns(const std::vector<RunState>& runs);

    void setReportTitle(const QString& title);
    void setOptions(const report::ReportOptions& options);
    report::ReportOptions options() const;
    int pageCount() const;  ///< of the preview; 0 until it is there
    /// Writes ".html", ".md" or ".pdf" off the UI thread; a message says where it is, or what went wrong.
    void exportReport(const QString& path);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Implementation;
    std::unique_ptr<Implementation> d_;
};

}  // namespace tessera::ui
