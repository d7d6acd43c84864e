#include <QPushButton>
#include <QStringList>

#include "core/study/calibrate/study.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/message_bar.h"
#include "ui/views/runs/catalogue_view.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

/// Finished calibration: the page of its catalogue, with a note of how far it is to be relied on, and a button that
/// makes an accelerator of it.
class CalibrationView : public CatalogueView {
public:
    CalibrationView(QUndoStack* undo, QWidget* parent) : CatalogueView(undo, parent) {
        auto* save = new QPushButton(theme().icon(u"save"_s), u"Save as an accelerator…"_s);
        save->setToolTip(u"Writes its file and its kernels, so that predictions can be made for this machine"_s);
        connect(save, &QPushButton::clicked, this, &RunView::acceleratorRequested);
        addTool(save);
    }

protected:
    void showNote() override {
        const study::Result& result = *run().result;
        QStringList sentences{
            shownText(result.outcome.get<study::CalibrationOutcome>().made.agreement.sentence, kLongestSentence)};
        for (const std::string& warning : result.warnings)
            if (const QString sentence = shownText(warning, kLongestSentence); !sentences.contains(sentence))
                sentences << sentence;
        note()->showMessage(result.warnings.empty() ? MessageBar::Kind::good : MessageBar::Kind::warning,
                            sentences.join(QLatin1Char(' ')));
    }

private:
    static constexpr std::size_t kLongestSentence = 400;  ///< bytes
};

}  // namespace

RunView* newCalibrationView(QUndoStack* undo, QWidget* parent) {
    return new CalibrationView(undo, parent);
}

}  // namespace tessera::ui
