#pragma once

#include <QDialog>
#include <QString>
#include <filesystem>

class QDialogButtonBox;
class QLabel;
class QLineEdit;

namespace tessera::ui {

/// Asks for the name under which a document is saved in the user's folder; says what is wrong with it, and when a file
/// would be replaced. Any other place can be chosen instead.
class NameDialog : public QDialog {
    Q_OBJECT

public:
    NameDialog(const QString& title, const QString& proposal, std::filesystem::path folder, QWidget* parent = nullptr);
    QString name() const;
    /// The file that was chosen instead of a name; empty where there is none.
    QString otherPlace() const { return otherPlace_; }

private:
    void judge();
    void choosePlace();
    std::filesystem::path folder_;
    QLineEdit* name_;
    QLabel* reason_;
    QDialogButtonBox* buttons_;
    QString otherPlace_;
};

}  // namespace tessera::ui
