package org.stillwater.ovirt.search;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.stillwater.testkit.VirtualClock;

/** Each text gets an answer, which has only entities that are there. */
class SearchFuzzTest {

    private static final int QUERIES = 2_000;

    private static final List<String> PIECES =
            List.of(
                    "name",
                    "status",
                    "memory",
                    "uptime",
                    "creationdate",
                    "ha",
                    "tag",
                    "host",
                    "hosts.name",
                    "hosts.status",
                    "hosts.",
                    ".name",
                    ".",
                    "=",
                    "!=",
                    "<",
                    ">",
                    "<=",
                    ">=",
                    "!",
                    "vm*",
                    "*",
                    "**",
                    "_",
                    "up",
                    "PoweringUp",
                    "1024",
                    "-1",
                    "1e9",
                    "NaN",
                    "Infinity",
                    "5d",
                    "today",
                    "friday",
                    "2026-01-01",
                    "1/1/26",
                    "T",
                    "true",
                    "and",
                    "or",
                    "AND",
                    "sortby",
                    "SORTBY",
                    "asc",
                    "desc",
                    "page",
                    "1",
                    "0",
                    "\"",
                    "'",
                    ";",
                    "(",
                    ")",
                    " ",
                    " ",
                    " ",
                    " ",
                    "\t",
                    "\n",
                    "\u0000",
                    "\uD83D",
                    "\uDE00",
                    "é",
                    "%",
                    "\\",
                    "${x}",
                    "İ",
                    "ß",
                    "--",
                    "/*");

    static LongStream seeds() {
        return LongStream.range(0, 10);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void anyTextIsAnswered(long seed) {
        Random random = new Random(seed);
        MemorySearch search = new MemorySearch(SearchLimits.USUAL, new VirtualClock());
        for (int i = 0; i < QUERIES; i++) {
            String query = random.nextInt(4) == 0 ? noise(random) : pieces(random);
            int max = random.nextInt(-2, 7);
            List<Catalogue.Machine> found =
                    search.apply(
                            query,
                            random.nextBoolean(),
                            max,
                            Catalogue.MACHINE_FIELDS,
                            Catalogue.MACHINES.stream());
            assertThat(Catalogue.MACHINES).as("seed %d: %s", seed, query).containsAll(found);
            assertThat(found).as("seed %d: %s", seed, query).doesNotHaveDuplicates();
            if (max >= 0) {
                assertThat(found).as("seed %d: %s", seed, query).hasSizeLessThanOrEqualTo(max);
            }
        }
    }

    /** An equality and its opposite together cover every entity, for any comparison. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void unequalIsTheOppositeOfEqual(long seed) {
        Random random = new Random(seed);
        MemorySearch search = new MemorySearch(SearchLimits.USUAL, new VirtualClock());
        for (int i = 0; i < QUERIES; i++) {
            String field = PIECES.get(random.nextInt(10));
            String value = PIECES.get(random.nextInt(24, 40));
            int equal = count(search, field + "=" + value);
            int unequal = count(search, field + "!=" + value);
            assertThat(equal + unequal)
                    .as("seed %d: %s and %s", seed, field, value)
                    .isIn(0, Catalogue.MACHINES.size());
        }
    }

    private static int count(MemorySearch search, String query) {
        return search.apply(query, false, -1, Catalogue.MACHINE_FIELDS, Catalogue.MACHINES.stream())
                .size();
    }

    private static String pieces(Random random) {
        StringBuilder query = new StringBuilder();
        for (int n = random.nextInt(20); n > 0; n--) {
            query.append(PIECES.get(random.nextInt(PIECES.size())));
            if (random.nextInt(3) == 0) {
                query.append(' ');
            }
        }
        return query.toString();
    }

    private static String noise(Random random) {
        StringBuilder query = new StringBuilder();
        for (int n = random.nextInt(200); n > 0; n--) {
            query.append((char) random.nextInt(random.nextBoolean() ? 128 : 65_536));
        }
        return query.toString();
    }
}
