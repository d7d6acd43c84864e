#pragma once

#include <string>
#include <vector>

namespace tessera::test {

/// What strangers may call their layers, models and files.
inline const std::vector<std::string>& hostileNames() {
    static const std::vector<std::string> kNames{
        "=1+1",
        "+1+cmd|' /C calc'!A0",
        "-2+3",
        "@SUM(A1:A9)",
        " =1",
        "＝1+1",
        "\t=1",
        "\r=1",
        "a\n=1",
        "a,=1;=2",
        "say \"=1\"",
        "-5",
        "<script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "]]></svg><svg onload=alert(1)>",
        "\"];evil [label=\"x",
        "a\\",
        "\x1B]0;owned\x07\x1B[2J",
        "bell\x07",
        "del\x7F",
        "csi \xC2\x9B"
        "31m",
        "right \xE2\x80\xAE to left",
        "isolate \xE2\x81\xA6 x",
        "zero\xE2\x80\x8Bwidth",
        "line\xE2\x80\xA8separator",
        "mark\xD8\x9C",
        "'; DROP TABLE run; --",
        "../../etc/passwd",
        "$(id)",
        "`id`",
        "| a | b |",
        "# heading",
        "[x](javascript:alert(1))",
        "層の名前",
        "한국어",
        "e\xCC\x81t\xCC\x81",
        std::string(256, 'x'),
    };
    return kNames;
}

}  // namespace tessera::test
