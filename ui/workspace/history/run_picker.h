#pragma once

#include <QDialog>
#include <functional>
#include <vector>

#include "core/store/store.h"
#include "ui/jobs/run_state.h"

class QLineEdit;
class QListView;
class QPushButton;
class QStandardItemModel;

namespace tessera::ui {

class EmptyState;

/// Asks which runs one run is to be compared with, or which run is to be used otherwise: a searchable list, the most
/// comparable first.
class RunPicker : public QDialog {
    Q_OBJECT

public:
    static constexpr int kMaxChosen = 7;  ///< with the run itself eight, as many as a comparison draws

    /// A run that can be chosen. `key` is its part of a comparison's key: "12", or "job/3" where it is not kept.
    struct Candidate {
        QString key;
        store::RunRow row;
    };
    /// Finds runs by words; `answer` may be called later, and not at all once the dialog is gone.
    using Search =
        std::function<void(const QString& words, const std::function<void(const std::vector<Candidate>&)>& answer)>;

    /// Texts of the dialog, and the number of runs that may be chosen.
    struct Wording {
        QString title, sentence, button;
        QString none;  ///< where there is no run to choose
        int max = kMaxChosen;
    };
    static Wording toCompare(const store::RunRow& run);
    static Wording toColour(const QString& model);

    /// `run` is what the others are like, the most comparable first.
    RunPicker(const Wording& wording, const store::RunRow& run, Search search, QWidget* parent = nullptr);

    QLineEdit* field() const { return field_; }
    QListView* list() const { return list_; }
    QPushButton* chooseButton() const { return choose_; }

signals:
    void chosen(const QStringList& keys);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void search();
    void showFound(const std::vector<Candidate>& found);
    void choose();
    void updateButton();

    Wording wording_;
    store::RunRow run_;
    Search search_;
    QLineEdit* field_;
    QListView* list_;
    EmptyState* hint_;
    QPushButton* choose_;
    QStandardItemModel* model_;
    int requests_ = 0;
};

/// Similarity of two runs for a comparison: the greater the better. Same model counts most, then same hardware, then
/// same engine.
int comparability(const store::RunRow& run, const store::RunRow& other);

}  // namespace tessera::ui
