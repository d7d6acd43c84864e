#include "core/study/members.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"

namespace tessera::study {
namespace {

enum class Colour : std::uint8_t { red, green };
constexpr std::array kColours{std::pair(Colour::red, std::string_view("red")),
                              std::pair(Colour::green, std::string_view("green"))};

struct Wheel {
    std::string name;
    Bytes size;
    bool operator==(const Wheel&) const = default;
};

/// A member of every kind.
struct Cart {
    std::string name;
    std::int64_t count = 1;
    double load = 0.5;
    double known = 1;
    double round = 512;
    Seconds time{2};
    bool open = false;
    Colour colour = Colour::red;
    EndedBy ended = EndedBy::stop;
    std::optional<Bytes> capacity;
    std::optional<double> price;
    std::optional<Wheel> spare;
    std::optional<Wheel> fifth;
    std::string note;
    std::vector<double> loads;
    std::vector<Colour> colours;
    std::vector<Wheel> wheels;
    std::vector<Wheel> named;
    bool operator==(const Cart&) const = default;
};

constexpr auto kWheel = [](auto& doc, auto& wheel) {
    doc("name", wheel.name);
    doc("size_bytes", wheel.size, kPositive);
};

constexpr auto kCart = [](auto& doc, auto& cart) {
    doc("name", cart.name);
    doc("count", cart.count, 1, 9);
    doc("load", cart.load);
    doc("known", cart.known, kOrUnknown);
    doc("round", cart.round, kNotNegative.asWhole());
    doc("time_s", cart.time);
    doc("open", cart.open);
    doc("colour", cart.colour, kColours);
    doc("ended_by", cart.ended);
    doc("capacity_bytes", cart.capacity, kNotNegative);
    doc.orNull("price", cart.price);
    doc.object("spare", cart.spare, kWheel);
    doc.objectOrNull("fifth", cart.fifth, kWheel);
    doc.unlessEmpty("note", cart.note);
    doc("loads", cart.loads);
    doc.requireSize("loads", cart.loads.size(), 2, "{} numbers");
    doc("colours", cart.colours, kColours);
    doc.derived("wheel_count", [&] { return cart.wheels.size(); });
    doc.list("wheels", cart.wheels, [](auto& row, auto& wheel, std::size_t number) {
        row.derived("index", number);
        kWheel(row, wheel);
    });
    doc.group("more", [&](auto& more) {
        more.byName("wheels", cart.named, &Wheel::name,
                    [](auto& row, auto& wheel) { row("size_bytes", wheel.size, kPositive); });
    });
    doc.require(cart.load < 2, "load", "less than 2");
};

Cart fullCart() {
    return {.name = "a \"cart\" \xC3\xA9",
            .count = 3,
            .load = 1.25,
            .known = 0.1,
            .round = 64,
            .time = Seconds{1e-9},
            .open = true,
            .colour = Colour::green,
            .ended = EndedBy::proof,
            .capacity = Bytes{1e12},
            .price = 4.5,
            .spare = Wheel{"spare", Bytes{1}},
            .fifth = Wheel{"fifth", Bytes{2}},
            .note = "old",
            .loads = {0.5, 2},
            .colours = {Colour::green, Colour::red},
            .wheels = {{"left", Bytes{3}}, {"right", Bytes{4}}},
            .named = {{"odd \"name\"", Bytes{5}}}};
}

Cart emptyCart() {
    Cart cart;
    cart.loads = {0, 0};
    return cart;
}

Cart readCart(const Json& json) {
    return readMembers<Cart>(JsonDocument::parse(json.dump(2), "cart.json").root(), kCart);
}

std::string cartRefusal(const std::string& pointer, const Json& value) {
    Json json = jsonOf(fullCart(), kCart);
    json[Json::json_pointer(pointer)] = value;
    try {
        readCart(json);
    } catch (const DataError& error) {
        return error.what();
    }
    return "accepted";
}

TEST(Members, readBackWhatTheyWrite) {
    for (const Cart& cart : {fullCart(), emptyCart()}) {
        const Json json = jsonOf(cart, kCart);
        EXPECT_EQ(readCart(json), cart);
        EXPECT_EQ(jsonOf(readCart(json), kCart), json);
    }
}

TEST(Members, standInTheOrderOfTheirRows) {
    EXPECT_EQ(jsonOf(fullCart(), kCart).dump(),
              R"({"name":"a \"cart\" é","count":3,"load":1.25,"known":0.1,"round":64,"time_s":1e-09,"open":true,)"
              R"("colour":"green","ended_by":"proof","capacity_bytes":1000000000000.0,"price":4.5,)"
              R"("spare":{"name":"spare","size_bytes":1.0},"fifth":{"name":"fifth","size_bytes":2.0},"note":"old",)"
              R"("loads":[0.5,2.0],"colours":["green","red"],"wheel_count":2,)"
              R"("wheels":[{"index":0,"name":"left","size_bytes":3.0},{"index":1,"name":"right","size_bytes":4.0}],)"
              R"("more":{"wheels":{"odd \"name\"":{"size_bytes":5.0}}}})");
}

TEST(Members, areLeftOutOrNullWhereTheyHaveNoValue) {
    const Json json = jsonOf(emptyCart(), kCart);
    for (const char* key : {"capacity_bytes", "spare", "note"}) EXPECT_FALSE(json.contains(key)) << key;
    for (const char* key : {"price", "fifth"}) EXPECT_TRUE(json.at(key).is_null()) << key;
    EXPECT_EQ(json.at("wheels"), Json::array());
    EXPECT_EQ(json.at("more").at("wheels"), Json::object());
}

TEST(Members, readWhatIsNotKnownAsNotANumber) {
    Cart cart = emptyCart();
    cart.known = std::numeric_limits<double>::infinity();
    const Json json = jsonOf(cart, kCart);
    EXPECT_TRUE(json.at("known").is_null());
    EXPECT_TRUE(std::isnan(readCart(json).known));
}

TEST(Members, sayWhatIsWrongAndWhere) {
    EXPECT_EQ(cartRefusal("/count", 10), "cart.json:3: field 'count' is '10'; expected a whole number from 1 to 9");
    EXPECT_EQ(cartRefusal("/load", nullptr), "cart.json:4: field 'load' is 'null'; expected a number");
    EXPECT_EQ(cartRefusal("/load", 2), "cart.json:4: field 'load' is '2'; expected less than 2");
    EXPECT_EQ(cartRefusal("/round", -1), "cart.json:6: field 'round' is '-1'; expected a number of 0 or more");
    EXPECT_EQ(cartRefusal("/colour", "blue"), "cart.json:9: field 'colour' is 'blue'; expected one of red, green");
    EXPECT_EQ(cartRefusal("/loads", Json::array({1})),
              "cart.json:22: field 'loads' is a list of 1; expected 2 numbers");
    EXPECT_EQ(cartRefusal("/wheels/1/size_bytes", 0),
              "cart.json:40: field 'wheels[1].size_bytes' is '0'; expected a number above 0");
}

}  // namespace
}  // namespace tessera::study
