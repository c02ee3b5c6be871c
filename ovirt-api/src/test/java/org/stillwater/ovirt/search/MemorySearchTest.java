package org.stillwater.ovirt.search;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.ovirt.query.Fields;
import org.stillwater.testkit.VirtualClock;

class MemorySearchTest {

    private static final MemorySearch SEARCH =
            new MemorySearch(SearchLimits.USUAL, new VirtualClock());

    private static String machines(String query) {
        return machines(query, false, -1);
    }

    private static String machines(String query, boolean caseSensitive, int max) {
        return names(
                SEARCH.apply(
                        query,
                        caseSensitive,
                        max,
                        Catalogue.MACHINE_FIELDS,
                        Catalogue.MACHINES.stream()),
                Catalogue.Machine::name);
    }

    private static String happenings(String query) {
        return names(
                SEARCH.apply(
                        query,
                        false,
                        -1,
                        Catalogue.HAPPENING_FIELDS,
                        Catalogue.HAPPENINGS.stream()),
                each -> Integer.toString(each.id()));
    }

    private static <T> String names(List<T> found, Function<T, String> name) {
        return String.join(" ", found.stream().map(name).toList());
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "                                   | vm1 vm_2 VM3 web-01 db",
                "name=vm*                           | vm1 vm_2 VM3",
                "name=x*                            | ",
                "name=\"web-01\"                    | web-01",
                "name=*                             | vm1 vm_2 VM3 web-01 db",
                "name=v*m*1                         | vm1",
                "name=*b*                           | web-01 db",
                "name=vm_*                          | vm_2",
                "name=vm?                           | ",
                "name!=vm*                          | web-01 db",
                "name=vm1 and cluster=a             | vm1",
                "name=vm1 and cluster=b             | ",
                "name = vm1                         | vm1",
                "NAME=VM1                           | vm1",
                "name=vm1 or name=db and cluster=c  | vm1 db",
                "cluster=a or cluster=b status=up   | vm1 vm_2",
                "cluster=a status=up                | vm1",
                "status=up                          | vm1 db",
                "status=UP                          | vm1 db",
                "status!=up                         | vm_2 VM3 web-01",
                "status=PoweringUp                  | VM3",
                "status=powering_up                 | VM3",
                "status=powering-up                 | VM3",
                "status=\"powering up\"             | VM3",
                "status=MigratingFrom               | web-01",
                "status=migrating                   | web-01",
                "status=MigratingTo                 | ",
                "id=id-vm1                          | vm1",
                "id!=id-vm1                         | vm_2 VM3 web-01 db",
                "status=*up                         | vm1 VM3 db",
                "host=node-01                       | vm1 VM3",
                "host=node*                         | vm1 VM3 web-01 db",
                "host!=node-01                      | vm_2 web-01 db",
                "hosts.name=node-02                 | web-01 db",
                "Hosts.Status=NonResponsive         | web-01 db",
                "hosts.name!=node-02                | vm1 vm_2 VM3",
                "hosts.cpu_usage>10                 | vm1 VM3",
                "memory>2048                        | VM3 web-01",
                "memory>=2048                       | vm_2 VM3 web-01",
                "memory<1024                        | db",
                "memory<=1024.0                     | vm1 db",
                "memory!=512                        | vm1 vm_2 VM3 web-01",
                "memory=1e3                         | ",
                "uptime>2h                          | vm1",
                "uptime=7200                        | db",
                "uptime>=120m                       | vm1 db",
                "uptime<1w                          | vm1 db",
                "ha=true                            | vm1 db",
                "ha!=true                           | vm_2 VM3 web-01",
                "tag=prod                           | vm1 db",
                "tag!=tier-a                        | vm_2 VM3 web-01 db",
                "creationdate=yesterday             | vm1",
                "creationdate=today                 | web-01",
                "creationdate=2024-02-29            | db",
                "creationdate=2/29/2024             | db",
                "creationdate=\"2/29/24 12:30 PM\"  | db",
                "creationdate=\"2024-02-29 12:30\"  | db",
                "creationdate=2024-02-29T12:30:15Z  | db",
                "creationdate=1709209815            | db",
                "creationdate=1709209815000         | db",
                "creationdate=tuesday               | vm_2",
                "creationdate=wednesday             | vm1",
                "creationdate=thursday              | ",
                "creationdate>2025-12-30            | vm1 vm_2 web-01",
                "creationdate<yesterday             | vm_2 db",
                "creationdate!=2024-02-29           | vm1 vm_2 VM3 web-01",
                "web                                | web-01",
                "migrating                          | web-01",
                "third                              | VM3",
                "\"the third\"                      | VM3",
                "the third                          | VM3",
                "t*d                                | VM3",
                "description=\"100% or=more\"       | db",
                "description=100%                   | ",
                "description=\"\"                   | ",
                "sortby name                        | db vm1 VM3 vm_2 web-01",
                "sortby name desc                   | web-01 vm_2 VM3 vm1 db",
                "SORTBY NAME ASC page 1             | db vm1 VM3 vm_2 web-01",
                "sortby creationdate                | db vm_2 vm1 web-01 VM3",
                "sortby uptime desc                 | vm_2 VM3 web-01 vm1 db",
                "sortby memory asc                  | db vm1 vm_2 VM3 web-01",
                "sortby status asc                  | vm_2 web-01 VM3 vm1 db",
                "status=up sortby memory desc page 1| vm1 db",
                "name=vm* or name=db sortby name desc | vm_2 VM3 vm1 db",
            })
    void findsMachines(String query, String expected) {
        assertThat(machines(query == null ? "" : query))
                .isEqualTo(expected == null ? "" : expected);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            value = {
                "severity=error               | 3",
                "severity>warning             | 4 3",
                "severity>=warning            | 4 3 2",
                "severity<Error               | 2 1",
                "severity!=normal             | 4 3 2",
                "sortby time desc             | 4 3 2 1",
                "sortby time asc              | 1 2 3 4",
                "sortby severity asc          | 1 2 3 4",
                "event_vm=web-01              | 3 2",
                "event_vm!=web-01             | 4 1",
                "severity=error or low        | 3 2",
                "time>yesterday               | 4 3 2",
                "time<today                   | 3 2 1",
                "time=yesterday               | 3 2",
            })
    void findsHappenings(String query, String expected) {
        assertThat(happenings(query)).isEqualTo(expected);
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(
            strings = {
                "name=",
                "=vm1",
                "name==",
                "name=vm1 and",
                "and name=vm1",
                "or",
                "name=vm1 or or name=db",
                "name=\"vm1",
                "name='vm1'",
                "name=vm1;drop",
                "colour=red",
                "status=purple",
                "status>up",
                "name>a",
                "tag<a",
                "memory=much",
                "memory>1e999999999",
                "uptime>5y",
                "uptime>99999999999999999999d",
                "creationdate>soon",
                "creationdate=2026-02-30",
                "creationdate>999999999999999999",
                "ha=maybe",
                "hosts.colour=red",
                "hosts.vms=db",
                "hosts.vms.name=db",
                "name.name=db",
                "host>node-01",
                "sortby",
                "sortby colour",
                "sortby hosts",
                "sortby name sideways",
                "sortby name page",
                "page 0",
                "page -1",
                "page two",
                "page 99999999999",
                "page 1 sortby name",
                "name=vm1 page 1 page 1",
                "<",
                "!=",
                "name=vm1\u0000",
                "🙂=1",
            })
    void malformedTextFindsNothing(String query) {
        assertThat(machines(query)).isEmpty();
    }

    @Test
    void caseIsHeededOnRequest() {
        assertThat(machines("name=vm*", true, -1)).isEqualTo("vm1 vm_2");
        assertThat(machines("NAME=VM* AND STATUS=POWERINGUP", true, -1)).isEqualTo("VM3");
        assertThat(machines("THIRD", true, -1)).isEmpty();
    }

    @Test
    void theFirstOnesAndPagesOfThem() {
        assertThat(machines("", false, 2)).isEqualTo("vm1 vm_2");
        assertThat(machines("", false, 0)).isEmpty();
        assertThat(machines("page 2", false, 2)).isEqualTo("VM3 web-01");
        assertThat(machines("sortby name page 2", false, 2)).isEqualTo("VM3 vm_2");
        assertThat(machines("sortby name page 3", false, 2)).isEqualTo("web-01");
        assertThat(machines("sortby name page 4", false, 2)).isEmpty();
        assertThat(machines("sortby name page 2147483647", false, Integer.MAX_VALUE)).isEmpty();
        assertThat(machines("page 2", false, -1)).isEmpty();
    }

    /** {@code sortby} and {@code page} are key words at the end only. */
    @Test
    void keyWordsCanBeFieldsAndQuotedValues() {
        assertThat(machines("name=page or name=vm1")).isEqualTo("vm1");
        assertThat(machines("\"or\"")).isEqualTo("db");
    }

    @Test
    void aPageOfASortedListIsTheBeginOfTheWhole() {
        Fields<Integer> fields = Fields.<Integer>of().number("rest", each -> each % 7).build();
        List<Integer> all = SEARCH.apply("sortby rest", false, -1, fields, numbers());
        for (int max : new int[] {1, 7, 100, 999, 1_000, 2_000}) {
            assertThat(SEARCH.apply("sortby rest", false, max, fields, numbers()))
                    .isEqualTo(all.subList(0, Math.min(max, all.size())));
        }
    }

    private static Stream<Integer> numbers() {
        return IntStream.range(0, 1_000).boxed();
    }

    @Test
    void tooLongAndTooMuchFindNothing() {
        assertThat(machines("vm1 ".repeat(256).strip())).isEqualTo("vm1");
        assertThat(machines("vm1 ".repeat(257).strip())).isEmpty();
        assertThat(machines("name=" + "*".repeat(8_187))).isNotEmpty();
        assertThat(machines("name=" + "*".repeat(8_188))).isEmpty();
    }

    /** A pattern that makes backtracking matchers run for ages. */
    @Test
    void manyWildcardsCostNoMoreThanTheirText() {
        Fields<String> fields = Fields.<String>of().text("name", each -> each).build();
        String text = "a".repeat(20_000);
        String pattern = "name=" + "*a".repeat(4_000) + "b";
        assertThat(SEARCH.apply(pattern, false, -1, fields, Stream.of(text))).isEmpty();
    }
}
