#pragma once

#include <QJsonObject>
#include <QStringList>
#include <QToolButton>
#include <functional>

namespace tessera::ui {

/// A button with named ways to look at a kind of document, remembered over sessions: choose one, save what is seen now,
/// or forget one.
class ViewPresets : public QToolButton {
    Q_OBJECT

public:
    /// `kind` names the documents in the settings ("compare"); `seen` says what to save, `show` takes it up again.
    ViewPresets(const QString& kind, std::function<QJsonObject()> seen, std::function<void(const QJsonObject&)> show,
                QWidget* parent = nullptr);

    QStringList names() const;         ///< of this kind, sorted
    void save(const QString& name);    ///< replaces one of that name
    void apply(const QString& name);   ///< ignored where there is none
    void remove(const QString& name);  ///< ignored where there is none

private:
    QJsonObject all() const;
    void keep(const QJsonObject& presets) const;
    void fillMenu();
    void askForName();

    QString setting_;
    std::function<QJsonObject()> seen_;
    std::function<void(const QJsonObject&)> show_;
};

}  // namespace tessera::ui
