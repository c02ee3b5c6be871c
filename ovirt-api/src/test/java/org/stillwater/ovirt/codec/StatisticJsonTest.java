package org.stillwater.ovirt.codec;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.stillwater.ovirt.model.Entity;
import org.stillwater.ovirt.model.Link;
import org.stillwater.ovirt.model.Listing;
import org.stillwater.ovirt.model.Reference;
import org.stillwater.ovirt.model.Statistic;
import org.stillwater.ovirt.model.Statistic.Value;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;

/**
 * The encoded parts of statistics give the same bytes as the general serializer, which alone writes
 * to texts.
 */
class StatisticJsonTest {

    private static final String VM = "/ovirt-engine/api/vms/0b7a0ef8-8f2f-4f0c-a1c7-6a3f3a5a7d10";

    private final Codec codec = new Codec();

    @Test
    void aNumberWithItsOwner() {
        Statistic statistic = statistic("cpu.current.total", VM, List.of(number("12.5")));

        assertThat(written(statistic))
                .isEqualTo(general(statistic))
                .isEqualTo(
                        """
                        {"id":"id-cpu.current.total","href":"%s/statistics/id-cpu.current.total",\
                        "name":"cpu.current.total","description":"About cpu.current.total",\
                        "kind":"gauge","type":"decimal","unit":"percent",\
                        "values":{"value":[{"datum":12.5}]},\
                        "vm":{"id":"0b7a0ef8-8f2f-4f0c-a1c7-6a3f3a5a7d10","href":"%s"}}\
                        """
                                .formatted(VM, VM));
    }

    @Test
    void numbersDoNotNeedTheGeneralSerializer() {
        ValueSerializer<Object> none =
                new ValueSerializer<>() {
                    @Override
                    public void serialize(
                            Object value, JsonGenerator out, SerializationContext context) {
                        throw new AssertionError("used for " + value);
                    }
                };
        JsonMapper mapper =
                JsonMapper.builder()
                        .addModule(new SimpleModule().addSerializer(new StatisticJson(none)))
                        .build();
        List<Statistic> all =
                List.of(
                        statistic("cpu.current.total", VM, List.of(number("12.5"))),
                        statistic("cpu.usage.history", VM, List.of(number("1"), number("2"))),
                        statistic("memory.used", VM, List.of()));

        assertThat(new String(mapper.writeValueAsBytes(all), StandardCharsets.UTF_8))
                .isEqualTo(general(all));
    }

    @Test
    void noValueAndManyValues() {
        same(statistic("none", VM, List.of()));
        same(
                statistic(
                        "history",
                        VM,
                        Collections.nCopies(2_000, new Value(new BigDecimal("1E+3"), null))));
    }

    @Test
    void textsAndCharactersThatJsonEscapes() {
        same(statistic("text", VM, List.of(new Value(null, "[{\"path\":\"/\"}]"))));
        same(statistic("both", VM, List.of(new Value(BigDecimal.ONE, "one"))));
        same(statistic("neither", VM, List.of(new Value(null, null))));
        same(statistic("with \"quotes\"", VM, List.of(number("1"))));
        same(statistic("umlaut \u00e4", VM, List.of(number("1"))));
        same(statistic("fine", "/vms/\u20ac", List.of(number("1"))));
        same(statistic("back\\slash", "/vms/a\\b", List.of(number("1"))));
    }

    @Test
    void everyOwnerAndSeveralAndNone() {
        Reference one = new Reference("1", "/owners/1");
        for (int owner = 0; owner < 6; owner++) {
            Entity[] owners = new Entity[6];
            owners[owner] = one;
            same(owned("owner " + owner, owners));
        }
        same(owned("none", new Entity[6]));
        same(owned("two", new Entity[] {one, null, null, null, null, one}));
        same(
                owned(
                        "named",
                        new Entity[] {
                            new Reference("1", "/1", "a"), null, null, null, null, null
                        }));
        same(
                owned(
                        "without address",
                        new Entity[] {
                            new Reference(null, null, null), null, null, null, null, null
                        }));
    }

    @Test
    void theSameDescriptionOfAnotherMeasure() {
        Statistic first = statistic("first", VM, List.of(number("1")));
        Statistic second =
                new Statistic(
                        "2",
                        VM + "/statistics/2",
                        "second",
                        first.description(),
                        "counter",
                        "integer",
                        "bytes",
                        first.values(),
                        null,
                        null,
                        null,
                        null,
                        null,
                        first.vm());

        same(first);
        same(second);
        same(first);
    }

    @Test
    void moreMeasuresThanAreKept() {
        List<Statistic> all = new ArrayList<>();
        for (int i = 0; i < 400; i++) {
            all.add(statistic("measure " + i, VM, List.of(number(Integer.toString(i)))));
        }
        same(Listing.of("statistic", all));
        same(Listing.of("statistic", all.reversed()));
    }

    @Test
    void listsOfOwnersInTurn() {
        Random random = new Random(7);
        List<Statistic> all = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            String owner = random.nextInt(10) == 0 ? "/a\"b" : VM + random.nextInt(3);
            List<Value> values = new ArrayList<>();
            for (int value = random.nextInt(4); value > 0; value--) {
                values.add(
                        random.nextInt(20) == 0
                                ? new Value(null, "a \"text\"")
                                : new Value(BigDecimal.valueOf(random.nextLong(), 3), null));
            }
            all.add(statistic("measure " + random.nextInt(20), owner, values));
        }
        same(Listing.of("statistic", all));
    }

    @Test
    void links() {
        List<Link> all = new ArrayList<>();
        for (String owner : List.of(VM, VM + "1", "/a\"b", "", "/\u20ac", VM)) {
            for (String name : List.of("start", "stop", "quo\"te", "\u00e4")) {
                all.add(new Link(owner + "/" + name, name));
                all.add(new Link(owner, "self"));
            }
        }
        assertThat(written(Listing.of("link", all)))
                .isEqualTo(general(Listing.of("link", all)))
                .contains("{\"href\":\"%s/start\",\"rel\":\"start\"}".formatted(VM));
    }

    private void same(Object entity) {
        assertThat(written(entity)).isEqualTo(general(entity));
    }

    private String written(Object entity) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        codec.write(Format.JSON, "root", entity, out);
        return out.toString(StandardCharsets.UTF_8);
    }

    private String general(Object entity) {
        return codec.mapper(Format.JSON).writeValueAsString(entity);
    }

    private static Value number(String value) {
        return new Value(new BigDecimal(value), null);
    }

    private static Statistic statistic(String name, String owner, List<Value> values) {
        return statistic(
                name,
                owner,
                values,
                new Entity[] {
                    null,
                    null,
                    null,
                    null,
                    null,
                    new Reference(owner.substring(owner.lastIndexOf('/') + 1), owner)
                });
    }

    private static Statistic owned(String name, @Nullable Entity[] owners) {
        return statistic(name, "/owners/1", List.of(number("1")), owners);
    }

    private static Statistic statistic(
            String name, String owner, List<Value> values, @Nullable Entity[] owners) {
        String id = "id-" + name;
        return new Statistic(
                id,
                owner + "/statistics/" + id,
                name,
                "About " + name,
                "gauge",
                "decimal",
                "percent",
                Listing.of("value", values),
                owners[0],
                owners[1],
                owners[2],
                owners[3],
                owners[4],
                owners[5]);
    }
}
