#include <gtest/gtest.h>

#include <QCoreApplication>

/// Tests of what works behind the window: an event loop, and nothing of Qt that draws.
int main(int argumentCount, char** arguments) {
    const QCoreApplication application(argumentCount, arguments);
    testing::InitGoogleTest(&argumentCount, arguments);
    return RUN_ALL_TESTS();
}
