#include "tests/app/program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>

#include "tests/support/paths.h"

namespace tessera::test {

namespace {

struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

std::string contents(std::FILE* file) {
    std::rewind(file);
    std::string text;
    char buffer[4096];
    for (std::size_t read = 0; (read = std::fread(buffer, 1, sizeof(buffer), file)) > 0;) text.append(buffer, read);
    return text;
}

Ended execute(const std::vector<std::string>& arguments, const std::string& folder) {
    const File output(std::tmpfile());
    const File errors(std::tmpfile());
    if (!output || !errors) throw std::runtime_error("no temporary file");
    std::vector<char*> pointers;
    for (const std::string& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
    pointers.push_back(nullptr);
    const pid_t child = fork();
    if (child == 0) {
        dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
        dup2(fileno(output.get()), STDOUT_FILENO);
        dup2(fileno(errors.get()), STDERR_FILENO);
        if (chdir(folder.c_str()) != 0) _exit(126);
        execv(pointers[0], pointers.data());
        _exit(127);
    }
    int status = 0;
    rusage usage{};
    wait4(child, &status, 0, &usage);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), contents(output.get()), contents(errors.get()),
            static_cast<double>(usage.ru_maxrss) * 1024};
}

}  // namespace

Ended runProgram(const std::vector<std::string>& arguments, const std::string& folder) {
    std::vector<std::string> all{program().string()};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return execute(all, folder);
}

Ended runShell(const std::string& command, const std::string& folder) {
    setenv("TESSERA", program().c_str(), 1);
    return execute({"/bin/bash", "-c", command}, folder);
}

}  // namespace tessera::test
