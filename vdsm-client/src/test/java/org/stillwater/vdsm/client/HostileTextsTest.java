package org.stillwater.vdsm.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.HostCapabilities;
import org.stillwater.core.report.MalformedReport;
import org.stillwater.core.report.ReportedText;
import org.stillwater.core.vm.FieldType;
import org.stillwater.core.vm.GuestNics;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.vdsm.jsonrpc.Json;
import org.stillwater.vdsm.stomp.FrameBody;
import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;

/** Hostile texts and lists of a guest or host, at the decoder. */
class HostileTextsTest {
    private static final int MEGABYTE = 1 << 20;

    private final Decoded engine = new Decoded();

    private static String id(int n) {
        return "00000000-0000-0000-0000-%012x".formatted(n);
    }

    private static String vm(int n, String members) {
        return "{\"statusTime\": \"5\", \"status\": \"Up\", \"vmId\": \""
                + id(n)
                + "\", "
                + members
                + "}";
    }

    private static String list(int count, IntFunction<String> entry) {
        return IntStream.range(0, count)
                .mapToObj(entry)
                .collect(Collectors.joining(", ", "[", "]"));
    }

    private VmRuntime decoded(String members) throws MalformedReport {
        engine.records(vm(1, members));
        return engine.running().runtime();
    }

    private static int characters(VmRuntime runtime) {
        int sum = 0;
        for (RuntimeField field : RuntimeField.values()) {
            if (field.type() == FieldType.TEXT && runtime.value(field) instanceof String text) {
                assertThat(text.length()).isLessThanOrEqualTo(field.mostCharacters());
                sum += text.length();
            }
        }
        return sum;
    }

    @Test
    void fourVmsWithMegabytesOfTextAreSmallAndDoNotChange() throws MalformedReport {
        String[] records = new String[4];
        for (int i = 0; i < 4; i++) {
            String name = "\"" + (char) ('a' + i) + "x".repeat(2 * MEGABYTE) + "\"";
            records[i] =
                    vm(
                            i,
                            "\"guestFQDN\": "
                                    + name
                                    + ", \"guestName\": "
                                    + name
                                    + ", \"exitMessage\": "
                                    + name
                                    + ", \"username\": "
                                    + name
                                    + ", \"appsList\": "
                                    + list(60_000, n -> "\"application-" + n + "\""));
        }
        engine.records(records);
        assertThat(engine.reports).hasSize(4);
        for (int i = 0; i < 4; i++) {
            VmRuntime runtime = engine.running(id(i)).runtime();
            assertThat(runtime.text(RuntimeField.FQDN)).hasSize(255).endsWith("x…");
            assertThat(runtime.text(RuntimeField.APP_LIST))
                    .startsWith("application-0,application-1,")
                    .endsWith(",…");
            assertThat(runtime.text(RuntimeField.APP_LIST).split(",", -1))
                    .hasSizeBetween(3_000, RuntimeField.APP_LIST.mostEntries() + 1);
            assertThat(characters(runtime)).isLessThan(75_000);
        }
        assertThat(engine.altered)
                .contains("guestFQDN", "guestName", "exitMessage", "username", "appsList")
                .hasSize(20);

        engine.learn();
        Map<VmId, VmRuntime> known = new HashMap<>(engine.known);
        engine.records(records);
        assertThat(engine.altered).as("what is repeated is not told again").isEmpty();
        for (int i = 0; i < 4; i++) {
            assertThat(engine.running(id(i)).runtime()).isSameAs(known.get(VmId.parse(id(i))));
        }
    }

    @Test
    void aRepeatedHostileTextAllocatesNothingOfItsSize() throws MalformedReport {
        String hostile =
                vm(
                        1,
                        "\"guestFQDN\": \"adm\\u202enim"
                                + "y".repeat(2_000)
                                + "\", \"guestName\": \"a\u200bb\", \"appsList\": "
                                + list(5_000, n -> "\"a" + n + "\\u0000\"")
                                + ", \"guestContainers\": "
                                + list(2_000, n -> "{\"id\": \"" + n + "\"}")
                                + ", \"cdrom\": \"/a/b\\u0007.iso\"");
        engine.records(hostile);
        engine.learn();
        FrameBody body = FrameBody.utf8("{\"id\": \"a\", \"result\": [" + hostile + "]}");
        VmDecoder.Pool decoders = new VmDecoder.Pool();
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        for (int round = 0; round < 30; round++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            engine.again(body, decoders);
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        // Some 100 000 characters are compared where they lie; the rest is the test's own text.
        assertThat(least)
                .as("bytes allocated for a hostile VM that repeats itself")
                .isLessThan(8_000);
        assertThat(engine.running().runtime()).isSameAs(engine.known.get(engine.running().vmId()));
    }

    @Test
    void namesThatForgeOrHideAreCleaned() throws MalformedReport {
        VmRuntime runtime =
                decoded(
                        "\"guestFQDN\": \" adm\\u202enim.example\\n\", \"guestName\":"
                                + " \"a\\u0000b\\u200b\", \"exitMessage\": \"one\\ntwo\\u001b[2J\","
                                + " \"clientIp\": \"\\u20661.2.3.4\\u2069\", \"username\":"
                                + " \"x\\ud800\"");
        assertThat(runtime.text(RuntimeField.FQDN)).isEqualTo("admnim.example");
        assertThat(runtime.text(RuntimeField.GUEST_HOST_NAME)).isEqualTo("ab");
        assertThat(runtime.text(RuntimeField.EXIT_MESSAGE)).isEqualTo("one two [2J");
        assertThat(runtime.text(RuntimeField.CLIENT_IP)).isEqualTo("1.2.3.4");
        assertThat(runtime.text(RuntimeField.GUEST_USER)).isEqualTo("x\ufffd");
    }

    @Test
    void aMillionInterfacesAreKeptAsManyAsFit() throws MalformedReport {
        VmRuntime runtime =
                decoded(
                        "\"netIfaces\": "
                                + list(
                                        1_000_000,
                                        n ->
                                                "{\"name\": \"n"
                                                        + n
                                                        + "\", \"inet\": [\"1.2.3.4\"]}"));
        GuestNics nics = runtime.guestNics();
        assertThat(nics.nics()).hasSize(RuntimeField.GUEST_NICS.mostEntries());
        assertThat(engine.altered).containsExactly("netIfaces");
        assertThat(decodedAgain(runtime)).isSameAs(runtime);
    }

    private VmRuntime decodedAgain(VmRuntime runtime) throws MalformedReport {
        engine.learn();
        String again =
                "\"netIfaces\": "
                        + list(
                                1_000_000,
                                n -> "{\"name\": \"n" + n + "\", \"inet\": [\"1.2.3.4\"]}");
        assertThat(engine.known).containsValue(runtime);
        return decoded(again);
    }

    @Test
    void addressesOfOneInterfaceAreBounded() throws MalformedReport {
        VmRuntime runtime =
                decoded(
                        "\"netIfaces\": [{\"name\": \"e\\u202e0\", \"hw\": \"AA\", \"inet\": "
                                + list(1_000, n -> "\"10.0.0." + n + "\"")
                                + "}]");
        assertThat(runtime.guestNics().nics())
                .singleElement()
                .satisfies(nic -> {
                    assertThat(nic.name()).isEqualTo("e0");
                    assertThat(nic.ipv4()).hasSize(ReportedText.GUEST_NIC_ADDRESSES.mostEntries());
                });
    }

    @Test
    void documentsLoseWholeEntriesAndStayJson() throws MalformedReport {
        engine.records(
                vm(
                        1,
                        "\"guestContainers\": "
                                + list(
                                        3_000,
                                        n -> "{\"id\": \"" + n + "\", \"names\": [\"\\u202e\"]}")
                                + ", \"disksUsage\": "
                                + list(
                                        3_000,
                                        n ->
                                                "{\"path\": \"/"
                                                        + "p".repeat(n)
                                                        + "\", \"total\": \"1\"}")));
        String containers = engine.running().runtime().text(RuntimeField.GUEST_CONTAINERS);
        assertThat(containers)
                .startsWith("[{\"id\":\"0\",\"names\":[\"\"]},")
                .endsWith(",{\"cut\":true}]")
                .hasSizeLessThanOrEqualTo(65_536);
        assertThat(entries(containers)).isEqualTo(1_025);
        String numbers = engine.numbers.getFirst();
        String usage = numbers.substring(numbers.indexOf(" usage ") + 7);
        assertThat(usage).endsWith(",{\"cut\":true}]").hasSizeLessThanOrEqualTo(65_536);
        assertThat(entries(usage)).isGreaterThan(300);
    }

    @Test
    void anEntryThatDoesNotFitAloneIsLeftOut() throws MalformedReport {
        VmRuntime runtime =
                decoded("\"guestContainers\": [[" + "\"x\",".repeat(100_000) + "1], {\"id\": 2}]");
        assertThat(runtime.text(RuntimeField.GUEST_CONTAINERS)).isEqualTo("[{\"cut\":true}]");
        runtime = decoded("\"guestContainers\": \"" + "q\\\"".repeat(100_000) + "\"");
        assertThat(entries(runtime.text(RuntimeField.GUEST_CONTAINERS))).isEqualTo(1);
    }

    /** Entries of the outermost list; fails if it is no JSON. */
    private static int entries(String json) {
        int count = 0;
        try (JsonParser p = Json.FACTORY.createParser(ObjectReadContext.empty(), json)) {
            if (p.nextToken().isScalarValue()) {
                return 1;
            }
            while (!p.nextToken().isStructEnd()) {
                p.skipChildren();
                count++;
            }
            assertThat(p.nextToken()).isNull();
        }
        return count;
    }

    @Test
    void aTextLongerThanTheParserTakesCostsItselfOnly() throws MalformedReport {
        engine.records(
                vm(1, "\"guestFQDN\": \"" + "é\\u00e9".repeat(3 * MEGABYTE) + "\""),
                vm(2, "\"guestFQDN\": \"b.example\""));
        assertThat(engine.malformed).isEmpty();
        assertThat(engine.running(id(1)).runtime().text(RuntimeField.FQDN)).hasSize(255);
        assertThat(engine.running(id(2)).runtime().text(RuntimeField.FQDN)).isEqualTo("b.example");
    }

    @Test
    void aRecordThatBeginsWithoutItsIdAndIsHugeIsMalformed() throws MalformedReport {
        String members = "\"guestContainers\": " + list(600_000, n -> "\"container\"");
        engine.records(
                "{" + members + ", \"status\": \"Up\", \"vmId\": \"" + id(1) + "\"}",
                vm(2, "\"guestFQDN\": \"b\""));
        assertThat(engine.malformed).singleElement().asString().contains(id(1)).contains("long");
        assertThat(engine.running(id(2)).runtime().text(RuntimeField.FQDN)).isEqualTo("b");
    }

    @Test
    void textsOfAHostAreBoundedAndClean() throws Exception {
        Set<String> altered = new HashSet<>();
        HostDecoder decoder = new HostDecoder(4_096, _ -> {}, altered::add);
        String json =
                "{\"cpuModel\": \"EPYC\\u202e\\n"
                        + "z".repeat(MEGABYTE)
                        + "\", \"nics\": {\"e\\u200bth0\": {\"hwaddr\": \"m\\u0000\","
                        + " \"ipv6addrs\": "
                        + list(10_000, n -> "\"" + "a".repeat(1_000) + "\"")
                        + "}}, \"kernelArgs\": \"ro\"}";
        HostCapabilities capabilities;
        try (JsonParser p = Json.FACTORY.createParser(ObjectReadContext.empty(), json)) {
            p.nextToken();
            capabilities = decoder.capabilities(p);
        }
        assertThat(capabilities.cpu().model())
                .startsWith("EPYC zzz")
                .hasSize(ReportedText.HOST_TEXT.mostCharacters());
        assertThat(capabilities.network().nics()).containsOnlyKeys("eth0");
        int total =
                capabilities.network().nics().get("eth0").ip().ipv6Addresses().stream()
                        .mapToInt(String::length)
                        .sum();
        assertThat(total).isLessThanOrEqualTo(ReportedText.HOST_ANSWER.mostCharacters());
        assertThat(altered).containsExactly("Host.getCapabilities");
    }

    @Test
    void theWordsOfAFailureAreOneShortLine() {
        HostFailure failure =
                new HostFailure.Refused(7, "no\nWARN forged\u202e" + "!".repeat(5_000));
        assertThat(failure.describe())
                .startsWith("the host answered code 7: no WARN forged!!!")
                .hasSizeLessThan(1_100)
                .endsWith("…");
    }

    @Test
    void allNodesOfAHostTogetherHaveTheBoundOfOneAnswer() throws Exception {
        String numbers = list(2_000, _ -> "1");
        String nodes =
                IntStream.range(0, 1_000)
                        .mapToObj(node -> "\"" + node + "\": {\"cpus\": " + numbers + "}")
                        .collect(Collectors.joining(", ", "{", "}"));
        String distances =
                IntStream.range(0, 1_000)
                        .mapToObj(node -> "\"" + node + "\": " + numbers)
                        .collect(Collectors.joining(", ", "{", "}"));
        HashSet<String> altered = new HashSet<>();
        HostDecoder decoder = new HostDecoder(4_096, _ -> {}, altered::add);
        HostCapabilities capabilities;
        try (JsonParser p =
                Json.FACTORY.createParser(
                        ObjectReadContext.empty(),
                        "{\"numaNodes\": "
                                + nodes
                                + ", \"numaNodeDistance\": "
                                + distances
                                + "}")) {
            p.nextToken();
            capabilities = decoder.capabilities(p);
        }
        long kept =
                capabilities.numaNodes().stream()
                        .mapToLong(node -> node.cpus().size() + node.distances().size())
                        .sum();
        assertThat(kept).isBetween(200_000L, (long) ReportedText.HOST_ANSWER.mostEntries());
        assertThat(altered).containsExactly("Host.getCapabilities");
    }
}
