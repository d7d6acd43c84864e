#include "ui/workspace/questions.h"

#include <QFileDialog>
#include <QInputDialog>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>

namespace tessera::ui {

namespace {

void askByDialog(QWidget& owner, const Question& question, const Asker::Answered& answered) {
    auto* box =
        new QMessageBox(QMessageBox::Question, question.title, question.sentence, QMessageBox::NoButton, &owner);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setTextFormat(Qt::PlainText);
    for (int i = 0; i < question.answers.size(); ++i) {
        auto role = i == question.escape ? QMessageBox::RejectRole : QMessageBox::AcceptRole;
        QPushButton* button = box->addButton(question.answers[i], role);
        if (i == 0) box->setDefaultButton(button);
        if (i == question.escape) box->setEscapeButton(button);
        QObject::connect(button, &QPushButton::clicked, &owner, [answered, i] { answered(i); });
    }
    box->open();
}

QFileDialog* fileDialog(QWidget& owner, const QString& title, const QString& filter, const Asker::Chosen& chosen) {
    auto* dialog = new QFileDialog(&owner, title, {}, filter);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    QObject::connect(dialog, &QFileDialog::fileSelected, &owner, chosen);
    return dialog;
}

void openByDialog(QWidget& owner, const QString& title, const QString& filter, const Asker::Chosen& chosen) {
    QFileDialog* dialog = fileDialog(owner, title, filter, chosen);
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->open();
}

void saveByDialog(QWidget& owner, const QString& title, const QString& suggestion, const QString& filter,
                  const Asker::Chosen& chosen) {
    QFileDialog* dialog = fileDialog(owner, title, filter, chosen);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->selectFile(suggestion);
    dialog->open();
}

void askTextByDialog(QWidget& owner, const QString& title, const QString& label, const QString& value,
                     const Asker::Chosen& answered) {
    auto* dialog = new QInputDialog(&owner);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(title);
    dialog->setLabelText(label);
    dialog->setTextValue(value);
    QObject::connect(dialog, &QInputDialog::textValueSelected, &owner, answered);
    dialog->open();
    if (auto* field = dialog->findChild<QLineEdit*>()) field->setAccessibleName(label);
}

}  // namespace

Asker dialogAsker() {
    return {.ask = askByDialog, .openFile = openByDialog, .saveFile = saveByDialog, .askText = askTextByDialog};
}

Asker& asker() {
    static Asker current = dialogAsker();
    return current;
}

}  // namespace tessera::ui
