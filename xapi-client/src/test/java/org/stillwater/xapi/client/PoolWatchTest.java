package org.stillwater.xapi.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.stillwater.core.time.EngineClock;
import org.stillwater.fake.xapi.net.FaultKind;
import org.stillwater.fake.xapi.world.Store.Row;

/** The copy of a pool's objects, against simulated pools on real sockets. */
class PoolWatchTest {

    private static final XapiClass VM = XapiClass.of("VM");
    private static final XapiClass VIF = XapiClass.of("VIF");
    private static final XapiClass TASK = XapiClass.of("task");
    private static final Duration LONG = Duration.ofSeconds(30);

    private static void same(Lab lab, PoolWatch watch) {
        for (XapiClass each : XapiClass.all()) {
            if (!each.equals(TASK)) {
                assertThat(watch.objects(each).keySet())
                        .as(each.name())
                        .containsExactlyInAnyOrderElementsOf(
                                lab.pool.objects(each.name()).stream().map(Row::ref).toList());
            }
        }
    }

    @Test
    @DisplayName("X25 both ways of reading everything give the same objects")
    void bothWays() throws Exception {
        try (Lab lab = Lab.today("127.11.1")) {
            Lab.Heard events = new Lab.Heard();
            Lab.Heard records = new Lab.Heard();
            PoolConnection connection = lab.connect();
            lab.watch(connection, events);
            lab.watch(connection, records, PoolWatch.Sync.RECORDS);
            Map<XapiClass, Map<String, XapiRecord>> one = events.sync();
            Map<XapiClass, Map<String, XapiRecord>> other = records.sync();
            assertThat(one).isEqualTo(other);
            assertThat(one.get(VM)).hasSize(lab.pool.objects("VM").size());
        }
    }

    @Test
    @DisplayName(
            "X26, X27 added, changed and removed objects are seen, many changes as the last state")
    void changes() throws Exception {
        try (Lab lab = Lab.today("127.11.2")) {
            Lab.Heard heard = new Lab.Heard();
            PoolWatch watch = lab.watch(lab.connect(), heard);
            heard.sync();
            Row vm = lab.vm("Running");
            for (int i = 0; i <= 1000; i++) {
                lab.order("VM", vm, "rename", "name", "name " + i);
            }
            assertThat(watch.barrier(LONG)).isTrue();
            assertThat(watch.objects(VM).get(vm.ref()).text("name_label")).isEqualTo("name 1000");
            Row halted = lab.vm("Halted");
            lab.order("VM", halted, "destroy");
            PoolListener.Change gone =
                    heard.change(each -> each.type().equals(VM) && each.after() == null);
            assertThat(gone.ref()).isEqualTo(halted.ref());
            assertThat(watch.barrier(LONG)).isTrue();
            same(lab, watch);
        }
    }

    @Test
    @DisplayName("X37 behind a barrier every change made before it is seen")
    void barrier() throws Exception {
        try (Lab lab = Lab.today("127.11.3")) {
            Lab.Heard heard = new Lab.Heard();
            PoolWatch watch = lab.watch(lab.connect(), heard);
            heard.sync();
            Row vm = lab.vm("Running");
            for (int i = 0; i < 20; i++) {
                lab.order("VM", vm, "rename", "name", "n" + i);
                assertThat(watch.barrier(LONG)).isTrue();
                assertThat(watch.objects(VM).get(vm.ref()).text("name_label")).isEqualTo("n" + i);
            }
        }
    }

    @Test
    @DisplayName("X30 600 deletions at once: the count does not fit, and the ghosts go")
    void forgottenDeletions() throws Exception {
        try (Lab lab = Lab.today("127.11.4")) {
            Lab.Heard heard = new Lab.Heard();
            PoolWatch watch = lab.watch(lab.connect(), heard);
            heard.sync();
            lab.order("vifs", "objects", "600");
            assertThat(watch.barrier(LONG)).isTrue();
            assertThat(watch.objects(VIF)).hasSizeGreaterThan(600);
            lab.order("remove_vifs"); // all between two calls
            assertThat(watch.barrier(LONG)).isTrue();
            same(lab, watch);
            assertThat(heard.syncs).isEmpty(); // one class was read, not all
        }
    }

    @Test
    @DisplayName("X31 a deletion that the server forgot is found by its count")
    void forgottenDeletion() throws Exception {
        try (Lab lab = Lab.today("127.11.5")) {
            Lab.Heard heard = new Lab.Heard();
            PoolWatch watch = lab.watch(lab.connect(), heard);
            heard.sync();
            Row halted = lab.vm("Halted");
            lab.order("destroy_silently", "vm", halted.text("uuid"));
            PoolListener.Change gone =
                    heard.change(each -> each.type().equals(VM) && each.after() == null);
            assertThat(gone.ref()).isEqualTo(halted.ref());
            assertThat(heard.syncs).isEmpty(); // one class was read, not all
            same(lab, watch);
        }
    }

    @Test
    @DisplayName("X17, X20 objects removed during a restart of the coordinator are gone")
    void restart() throws Exception {
        try (Lab lab = Lab.today("127.11.6")) {
            Lab.Heard heard = new Lab.Heard();
            PoolWatch watch = lab.watch(lab.connect(), heard);
            heard.sync();
            Row halted = lab.vm("Halted");
            lab.order("VM", halted, "destroy");
            lab.order("restart_coordinator");
            assertThat(heard.sync().get(VM)).doesNotContainKey(halted.ref());
            assertThat(watch.barrier(LONG)).isTrue();
            same(lab, watch);
        }
    }

    @Test
    @DisplayName("X17 a session that ends while calls wait costs one login and no pause")
    void endedWhileWaiting() throws Exception {
        try (Lab lab = Lab.today("127.11.16")) {
            Lab.Heard heard = new Lab.Heard();
            PoolConnection connection = lab.connect();
            // This clock stands still: a pause of any length would never end.
            EngineClock still =
                    new EngineClock() {
                        @Override
                        public long nanoTime() {
                            return 0;
                        }

                        @Override
                        public Instant now() {
                            return Instant.EPOCH;
                        }
                    };
            try (PoolWatch watch =
                    PoolWatch.start(connection, heard, still, PoolWatch.Sync.EVENTS, Lab.TIMES)) {
                heard.sync();
                Lab.take(heard.taskSyncs);
                assertThat(watch.barrier(LONG)).isTrue();
                Row gone = lab.vm("Halted");
                lab.order("destroy_silently", "vm", gone.text("uuid"));
                lab.order("end_sessions");
                assertThat(heard.sync().get(VM)).doesNotContainKey(gone.ref());
                Lab.take(heard.taskSyncs);
                assertThat(heard.losses).isEmpty();
                assertThat(lab.sessions()).isEqualTo(1);
                assertThat(connection.session().epoch()).isEqualTo(2);
                Row vm = lab.vm("Running");
                lab.order("VM", vm, "rename", "name", "after it");
                heard.change(each ->
                        each.ref().equals(vm.ref())
                                && each.after() != null
                                && each.after().text("name_label").equals("after it"));
                same(lab, watch);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(PoolWatch.Sync.class)
    @DisplayName("X17 records of objects that did not change stay when everything is read anew")
    void unchangedRecords(PoolWatch.Sync sync) throws Exception {
        try (Lab lab = Lab.today("127.11.14")) {
            Lab.Heard heard = new Lab.Heard();
            PoolWatch watch = lab.watch(lab.connect(), heard, sync);
            Row same = lab.vm("Running");
            Row renamed = lab.vm("Halted");
            XapiRecord before = heard.sync().get(VM).get(same.ref());
            lab.order("VM", renamed, "rename", "name", "renamed");
            lab.order("end_sessions");
            assertThat(heard.sync().get(VM).get(same.ref())).isSameAs(before);
            assertThat(watch.barrier(LONG)).isTrue();
            assertThat(watch.objects(VM).get(same.ref())).isSameAs(before);
            assertThat(watch.objects(VM).get(renamed.ref()).text("name_label"))
                    .isEqualTo("renamed");
            same(lab, watch);
        }
    }

    @Test
    @DisplayName("X32 lost events and bad tokens are followed by reading everything anew")
    void lostEvents() throws Exception {
        try (Lab lab = Lab.today("127.11.7")) {
            Lab.Heard heard = new Lab.Heard();
            PoolWatch watch = lab.watch(lab.connect(), heard);
            heard.sync();
            for (String each : new String[] {"EVENTS_LOST", "EVENT_FROM_TOKEN_PARSE_FAILURE x"}) {
                Object synced = null;
                for (int tries = 0; synced == null && tries < 30; tries++) {
                    // The loop of the tasks may meet them first.
                    lab.server.faults().add(FaultKind.ERROR, "", "event.from", each, 2);
                    lab.order("VM", lab.vm("Running"), "rename", "name", each + tries);
                    synced = heard.syncs.poll(1, TimeUnit.SECONDS);
                }
                assertThat(synced).as(each).isNotNull();
                lab.server.faults().clear();
                assertThat(watch.barrier(LONG)).isTrue();
                heard.syncs.clear();
            }
            assertThat(heard.losses).isEmpty();
        }
    }

    @Test
    @DisplayName("X16 a pool that ends every session is lost, and not logged in to without a pause")
    void endedSessions() throws Exception {
        try (Lab lab = Lab.today("127.11.15")) {
            Lab.Heard heard = new Lab.Heard();
            lab.watch(lab.connect(), heard);
            heard.sync();
            lab.server
                    .faults()
                    .add(FaultKind.ERROR, "", "event.from", "SESSION_INVALID OpaqueRef:gone", 0);
            lab.order("VM", lab.vm("Running"), "rename", "name", "news");
            assertThat(Lab.take(heard.losses)).hasMessageContaining("SESSION_INVALID");
            lab.server.faults().clear();
            heard.sync();
        }
    }

    @Test
    @DisplayName("X35 changes of unused fields are not reported")
    void noise() throws Exception {
        try (Lab lab = Lab.today("127.11.8")) {
            Lab.Heard heard = new Lab.Heard();
            PoolWatch watch = lab.watch(lab.connect(), heard);
            heard.sync();
            lab.order("storm", "changes", "500"); // user_version, which no one reads
            assertThat(watch.barrier(LONG)).isTrue();
            assertThat(heard.changes).isEmpty();
        }
    }

    @Test
    @DisplayName("X36 tasks come on a loop of their own")
    void tasks() throws Exception {
        try (Lab lab = Lab.today("127.11.9")) {
            Lab.Heard heard = new Lab.Heard();
            PoolConnection connection = lab.connect();
            lab.watch(connection, heard);
            Lab.take(heard.taskSyncs);
            String task = connection.async("VM.start", lab.vm("Halted").ref(), false, false);
            heard.change(each -> each.ref().equals(task));
            lab.pools.clock().advance(Duration.ofSeconds(3));
            PoolListener.Change done =
                    heard.change(each ->
                            each.ref().equals(task)
                                    && each.after() != null
                                    && each.after().text("status").equals("success"));
            assertThat(done.after().real("progress")).isEqualTo(1.0);
        }
    }

    @Test
    @DisplayName("X36 a task's end is seen while the other loop is busy with a batch of VMs")
    void tasksMeanwhile() throws Exception {
        try (Lab lab = Lab.today("127.11.17")) {
            CountDownLatch busy = new CountDownLatch(1);
            CountDownLatch over = new CountDownLatch(1);
            Lab.Heard heard =
                    new Lab.Heard() {
                        @Override
                        public void changed(List<PoolListener.Change> batch) {
                            if (batch.stream().anyMatch(each -> each.type().equals(VM))) {
                                busy.countDown();
                                try {
                                    assertThat(over.await(60, TimeUnit.SECONDS)).isTrue();
                                } catch (InterruptedException e) {
                                    Thread.currentThread().interrupt();
                                }
                            }
                            super.changed(batch);
                        }
                    };
            PoolConnection connection = lab.connect();
            lab.watch(connection, heard);
            heard.sync();
            Lab.take(heard.taskSyncs);
            lab.order("freeze", "vms", "5");
            assertThat(busy.await(30, TimeUnit.SECONDS)).isTrue();
            String task = connection.async("VM.start", lab.vm("Halted").ref(), false, false);
            lab.pools.clock().advance(Duration.ofSeconds(3));
            heard.change(each ->
                    each.ref().equals(task)
                            && each.after() != null
                            && each.after().text("status").equals("success"));
            assertThat(heard.changes).noneMatch(each -> each.type().equals(VM));
            over.countDown();
            heard.change(each -> each.type().equals(VM));
        }
    }

    @Test
    @DisplayName("X38 a message is reported once, also after a full reading")
    void messages() throws Exception {
        try (Lab lab = Lab.today("127.11.10")) {
            Lab.Heard heard = new Lab.Heard();
            lab.watch(lab.connect(), heard);
            heard.sync();
            assertThat(Lab.take(heard.messages).text("name")).isEqualTo("POOL_MASTER_TRANSITION");
            lab.order("message", "name", "ALARM");
            assertThat(Lab.take(heard.messages).text("name")).isEqualTo("ALARM");
            lab.order("end_sessions");
            heard.sync();
            lab.order("message", "name", "SECOND");
            assertThat(Lab.take(heard.messages).text("name")).isEqualTo("SECOND");
            assertThat(heard.messages).isEmpty();
        }
    }

    @Test
    @DisplayName("X62 a reply that was cut off publishes nothing, and is followed by a new one")
    void truncated() throws Exception {
        try (Lab lab = Lab.today("127.11.11")) {
            Lab.Heard heard = new Lab.Heard();
            lab.server.faults().add(FaultKind.TRUNCATE, "", "event.from", "20000", 2);
            PoolWatch watch = lab.watch(lab.connect(), heard);
            Map<XapiClass, Map<String, XapiRecord>> first = heard.sync();
            assertThat(first.get(VM)).hasSize(lab.pool.objects("VM").size());
            assertThat(watch.barrier(LONG)).isTrue();
            same(lab, watch);
        }
    }

    @Test
    @DisplayName("X23, X34 replies that come long after their time are taken, in the same session")
    void lateReplies() throws Exception {
        try (Lab lab = Lab.today("127.11.13")) {
            lab.server.faults().add(FaultKind.LATENCY, "", "event.from", "500", 0);
            PoolWatch.Times impatient =
                    new PoolWatch.Times(
                            Duration.ofMillis(10),
                            Duration.ofSeconds(20),
                            Duration.ofMillis(20),
                            Duration.ofMillis(100),
                            Duration.ofSeconds(10));
            Lab.Heard heard = new Lab.Heard();
            try (PoolWatch _ =
                    PoolWatch.start(
                            lab.connect(), heard, Lab.CLOCK, PoolWatch.Sync.EVENTS, impatient)) {
                heard.sync();
                Row vm = lab.vm("Running");
                lab.order("VM", vm, "rename", "name", "late");
                assertThat(heard.change(each -> each.ref().equals(vm.ref())).after()).isNotNull();
                assertThat(heard.losses).isEmpty();
                assertThat(lab.sessions()).isEqualTo(1);
            }
        }
    }

    @Test
    @DisplayName("X18 the coordinator changes while it is watched: all is read from the next one")
    void failOver() throws Exception {
        try (Lab lab = Lab.today("127.11.12")) {
            Lab.Heard heard = new Lab.Heard();
            lab.watch(lab.connect(), heard);
            heard.sync();
            lab.order("host", lab.pool.hostAt(lab.addresses.getFirst()), "kill");
            lab.server.dropConnections(lab.addresses.getFirst());
            Lab.take(heard.losses);
            lab.order("host", lab.pool.hostAt(lab.addresses.get(1)), "promote");
            assertThat(heard.sync().get(VM)).hasSize(lab.pool.objects("VM").size());
        }
    }

    @Test
    @DisplayName(
            "X11 a record that makes a reply ill-formed is left out and reported; the rest "
                    + "continues")
    void illFormedRecord() throws Exception {
        try (Lab lab = Lab.today("127.11.41")) {
            Row bad = lab.vm("Running");
            Row good = lab.vm("Halted");
            PoolConnection connection =
                    lab.connect(lab.access(lab.addresses.getFirst()).with(XapiEncoding.XML_RPC));
            // A real server does not escape the names of map entries either.
            connection.call(
                    "VM.add_to_other_config", List.of(bad.ref(), "a<&b", "x"), Decoder.VOID);
            Lab.Heard heard = new Lab.Heard();
            PoolWatch watch = lab.watch(connection, heard);
            assertThat(heard.sync().get(VM))
                    .hasSize(lab.pool.objects("VM").size() - 1)
                    .doesNotContainKey(bad.ref());
            assertThat(Lab.take(heard.unreadable))
                    .singleElement()
                    .asString()
                    .contains("VM " + bad.ref());
            lab.order("VM", good, "rename", "name", "renamed");
            heard.change(each ->
                    each.ref().equals(good.ref())
                            && each.after() != null
                            && each.after().text("name_label").equals("renamed"));
            assertThat(heard.syncs).isEmpty(); // the counts fit without it
            connection.call(
                    "VM.remove_from_other_config", List.of(bad.ref(), "a<&b"), Decoder.VOID);
            heard.change(each -> each.ref().equals(bad.ref()) && each.after() != null);
            assertThat(Lab.take(heard.unreadable)).isEmpty();
            assertThat(watch.barrier(LONG)).isTrue();
            same(lab, watch);
        }
    }

    @Test
    @DisplayName("X11 control characters in a name cost nothing, in any encoding")
    void controlCharacters() throws Exception {
        for (XapiEncoding encoding : List.of(XapiEncoding.JSON_RPC, XapiEncoding.XML_RPC)) {
            try (Lab lab = Lab.today("127.11.42")) {
                Row vm = lab.vm("Running");
                Lab.Heard heard = new Lab.Heard();
                PoolWatch watch =
                        lab.watch(
                                lab.connect(lab.access(lab.addresses.getFirst()).with(encoding)),
                                heard);
                heard.sync();
                lab.order("VM", vm, "rename", "name", "a\u0001\tb");
                assertThat(watch.barrier(LONG)).isTrue();
                assertThat(watch.objects(VM).get(vm.ref()).text("name_label"))
                        .startsWith("a")
                        .endsWith("\tb");
                assertThat(heard.losses).isEmpty();
                same(lab, watch);
            }
        }
    }
}
