package org.stillwater.xapi.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.stillwater.fake.xapi.net.InProcess;
import org.stillwater.fake.xapi.world.Pool;
import org.stillwater.fake.xapi.world.PoolSettings;
import org.stillwater.fake.xapi.world.Pools;
import org.stillwater.fake.xapi.world.WorldClock;

/**
 * Bytes that one reading of a whole pool allocates. {@code -Dstillwater.sync.hosts=64
 * -Dstillwater.sync.vms=5000} measures another pool, and prints what stays alive and the processor
 * time as well.
 */
class SyncCostTest {

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int HOSTS = Integer.getInteger("stillwater.sync.hosts", 4);
    private static final int VMS = Integer.getInteger("stillwater.sync.vms", 200);
    private static final int ROUNDS = Integer.getInteger("stillwater.sync.rounds", 4);

    private record Read(
            int objects,
            long allocated,
            long cpuNanos,
            Map<XapiClass, Map<String, XapiRecord>> all) {}

    private static byte[] reply(XapiEncoding encoding) throws IOException {
        List<String> addresses = new ArrayList<>();
        for (int i = 1; i <= HOSTS; i++) {
            addresses.add("127.11.60." + i);
        }
        try (Pools pools = new Pools(new WorldClock(0))) {
            Pool _ = pools.add(PoolSettings.today(), 7, "p", addresses, VMS);
            InProcess hosts = new InProcess(pools);
            String session =
                    Replies.read(
                            encoding,
                            new ByteArrayInputStream(
                                    ask(
                                            hosts,
                                            encoding,
                                            "session.login_with_password",
                                            List.of("root", "stillwater", "1.0", "cost"))),
                            Decoder.TEXT);
            List<String> classes = new ArrayList<>();
            XapiClass.all().forEach(each -> classes.add(each.eventName()));
            return ask(hosts, encoding, "event.from", List.of(session, classes, "", 0.0));
        }
    }

    private static byte[] ask(
            InProcess hosts, XapiEncoding encoding, String method, List<?> arguments)
            throws IOException {
        InProcess.Answer answer =
                hosts.ask(
                        "127.11.60.1",
                        "POST",
                        encoding.path(),
                        encoding.contentType(),
                        CallWriter.write(encoding, method, arguments));
        if (answer.status() != 200) {
            throw new IOException(new String(answer.body(), StandardCharsets.UTF_8));
        }
        return answer.body();
    }

    private static Read read(XapiEncoding encoding, byte[] reply) throws IOException {
        Map<XapiClass, Map<String, XapiRecord>> all = new HashMap<>();
        XapiClass.all().forEach(each -> all.put(each, new ConcurrentHashMap<>()));
        ByteArrayInputStream in = new ByteArrayInputStream(reply);
        long cpu = THREADS.getCurrentThreadCpuTime();
        long before = THREADS.getCurrentThreadAllocatedBytes();
        EventBatch _ =
                Replies.read(
                        encoding,
                        in,
                        source ->
                                Decoder.eachEvent(
                                        source,
                                        each -> {
                                            XapiRecord snapshot = each.snapshot();
                                            if (snapshot != null) {
                                                all.get(each.type()).put(each.ref(), snapshot);
                                            }
                                        }));
        long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
        return new Read(
                all.values().stream().mapToInt(Map::size).sum(),
                allocated,
                THREADS.getCurrentThreadCpuTime() - cpu,
                all);
    }

    @ParameterizedTest
    @CsvSource({"JSON_RPC,600", "XML_RPC,600"})
    @DisplayName("X12 a reading allocates little more than what it keeps")
    void allocation(XapiEncoding encoding, long mostBytesPerObject) throws IOException {
        byte[] reply = reply(encoding);
        Read last = read(encoding, reply);
        for (int i = 1; i < ROUNDS; i++) {
            last = read(encoding, reply);
        }
        assertThat(last.objects()).isGreaterThan(VMS * 5);
        if (VMS > 1_000) {
            report(encoding, reply, last);
        }
        assertThat(last.allocated() / last.objects()).isLessThan(mostBytesPerObject);
    }

    private static void report(XapiEncoding encoding, byte[] reply, Read last) throws IOException {
        long with = used();
        int objects = last.objects();
        last.all().values().forEach(Map::clear);
        long without = used();
        System.out.printf(
                "%s: %d objects of %d bytes; allocated %d, kept %d; CPU %.1f ms%n",
                encoding,
                objects,
                reply.length,
                last.allocated(),
                with - without,
                last.cpuNanos() / 1e6);
    }

    /** Live bytes, after collections that leave nothing else. */
    private static long used() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }
}
