package org.stillwater.xapi.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.connection.HostAnswer;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.fake.xapi.world.Store.Row;
import org.stillwater.xapi.client.Lab;
import org.stillwater.xapi.client.PoolConnection;
import org.stillwater.xapi.client.Records;
import org.stillwater.xapi.client.XapiClass;
import org.stillwater.xapi.client.XapiRecord;

/** The ends of tasks, as the pool's events show them. */
class TaskFollowerTest {

    private static final XapiClass TASK = XapiClass.of("task");

    private Lab lab;
    private PoolConnection connection;
    private TaskFollower tasks;
    private String ref;

    private final List<List<String>> late = new ArrayList<>();

    /** Work that the follower left to other threads. */
    private final List<Runnable> left = new ArrayList<>();

    @BeforeEach
    void begin() throws Exception {
        lab = Lab.today("127.12.30");
        connection = lab.connect();
        tasks = new TaskFollower(connection, left::add, Duration.ZERO);
        Row running = lab.vm("Running");
        ref = connection.async("VM.pause", running.ref());
    }

    @AfterEach
    void stop() {
        connection.close();
        lab.close();
    }

    private static XapiRecord task(String status, String error) {
        return Records.of(
                TASK,
                "{\"name_label\":\"Async.VM.pause\",\"status\":\"%s\",\"error_info\":[%s]}"
                        .formatted(status, error));
    }

    private List<String> end(XapiRecord... changes) {
        CompletableFuture<List<String>> end = tasks.follow(ref);
        for (XapiRecord each : changes) {
            assertThat(end).isNotDone();
            tasks.told(ref, each);
        }
        assertThat(end).isDone();
        assertThat(tasks.open()).isZero();
        return end.join();
    }

    private boolean isOnPool() throws IOException {
        return connection.allRecords(TASK).containsKey(ref);
    }

    @Test
    @DisplayName("X45 a failed task gives its code and its parameters, and is destroyed")
    void failure() throws IOException {
        List<String> end =
                end(
                        task("pending", ""),
                        task("failure", "\"HOST_NOT_ENOUGH_FREE_MEMORY\",\"4096\",\"1024\""));
        assertThat(end).containsExactly("HOST_NOT_ENOUGH_FREE_MEMORY", "4096", "1024");
        HostAnswer<String> answer = Refusals.of(end, new PoolObjects(Map.of()));
        assertThat(((HostAnswer.Failed<String>) answer).failure())
                .isInstanceOfSatisfying(
                        HostFailure.Refused.class,
                        refused ->
                                assertThat(refused.message())
                                        .isEqualTo("HOST_NOT_ENOUGH_FREE_MEMORY 4096 1024"));
        assertThat(isOnPool()).isTrue();
        left.forEach(Runnable::run);
        assertThat(isOnPool()).isFalse();
    }

    @Test
    @DisplayName("X45 a task that is cancelled has failed, once it is no longer being cancelled")
    void cancelled() {
        assertThat(end(task("cancelling", ""), task("cancelled", "")))
                .containsExactly("TASK_CANCELLED");
        tasks = new TaskFollower(connection, left::add, Duration.ZERO);
        assertThat(end(task("success", ""))).isEmpty();
    }

    @Test
    @DisplayName("X45 the end of a task that vanished is unknown, and no failure of its order")
    void vanished() {
        CompletableFuture<List<String>> end = tasks.follow(ref);
        tasks.read(Map.of(ref, task("pending", "")));
        assertThat(end).isNotDone();
        tasks.read(Map.of("OpaqueRef:other", task("pending", "")));
        assertThat(end.join()).isEqualTo(TaskFollower.UNSEEN);
        assertThat(tasks.open()).isZero();
        assertThat(left).as("nothing is there to destroy").isEmpty();

        CompletableFuture<List<String>> deleted = tasks.follow(ref);
        tasks.told(ref, null);
        assertThat(deleted.join()).isEqualTo(TaskFollower.UNSEEN);
    }

    @Test
    @DisplayName("X45 a task that ended before its order was answered is seen, too")
    void endedBefore() {
        tasks.read(Map.of(ref, task("failure", "\"VM_BAD_POWER_STATE\"")));
        assertThat(tasks.startedWell(ref, late::add)).containsExactly("VM_BAD_POWER_STATE");
        tasks.read(Map.of(ref, task("pending", "")));
        assertThat(tasks.startedWell(ref, late::add)).as("no failure so far").isEmpty();
        assertThat(late).isEmpty();
        tasks.told(ref, task("failure", "\"VM_SUSPEND_TIMEOUT\",\"OpaqueRef:1\",\"60\""));
        assertThat(late).containsExactly(List.of("VM_SUSPEND_TIMEOUT", "OpaqueRef:1", "60"));
        assertThat(tasks.startedWell(ref, late::add)).isEmpty();
        tasks.told(ref, task("success", ""));
        assertThat(tasks.startedWell(ref, late::add)).isEmpty();
        tasks.told(ref, null);
        assertThat(late).as("neither success nor what is unknown is a failure").hasSize(1);
    }
}
