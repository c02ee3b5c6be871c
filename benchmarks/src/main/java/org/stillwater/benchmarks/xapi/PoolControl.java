package org.stillwater.benchmarks.xapi;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.stillwater.benchmarks.scale.Http;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Control of simulated pools by their control port. Thread-safe. */
final class PoolControl implements AutoCloseable {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final Http http;

    PoolControl(int port) {
        this.http = new Http(port);
    }

    /**
     * A change that clients can see.
     *
     * @param generation its number in the pool
     * @param nanos when it was there, on the machine's monotonic clock
     */
    record Commit(long generation, long nanos) {}

    /**
     * A reply with events that a client got.
     *
     * @param generation the newest change in it
     * @param nanos when the server had collected it
     */
    record Batch(long generation, long nanos) {}

    /** Something happens to a pool. */
    Commit pool(String uuid, String order, String json) throws IOException, InterruptedException {
        return order("/pools/" + uuid + "/" + order, json);
    }

    /** Something happens to a VM. */
    Commit vm(String uuid, String order) throws IOException, InterruptedException {
        return order("/vms/" + uuid + "/" + order, "{}");
    }

    /** Something happens to a host. */
    Commit host(String uuid, String order) throws IOException, InterruptedException {
        return order("/hosts/" + uuid + "/" + order, "{}");
    }

    private Commit order(String path, String json) throws IOException, InterruptedException {
        JsonNode answer = JSON.readTree(http.post(path, json));
        return new Commit(answer.path("generation").asLong(), answer.path("nanos").asLong());
    }

    /** Lets time pass in pools with a stopped clock. */
    void advance(int seconds) throws IOException, InterruptedException {
        String _ = http.post("/clock/advance", "{\"seconds\":" + seconds + "}");
    }

    /** VMs of a pool in a power state, as XAPI spells it. */
    List<String> vms(String pool, String powerState) throws IOException, InterruptedException {
        List<String> found = new ArrayList<>();
        for (JsonNode vm : state(pool).path("vms")) {
            if (vm.path("powerState").asString("").equals(powerState)) {
                found.add(vm.path("uuid").asString(""));
            }
        }
        return found;
    }

    /** Addresses of a pool's hosts. */
    List<String> addresses(String pool) throws IOException, InterruptedException {
        List<String> found = new ArrayList<>();
        for (JsonNode host : state(pool).path("hosts")) {
            found.add(host.path("address").asString(""));
        }
        return found;
    }

    /** A host of a pool that runs VMs and is not the coordinator. */
    String member(String pool) throws IOException, InterruptedException {
        JsonNode state = state(pool);
        String coordinator = state.path("coordinator").asString("");
        for (JsonNode host : state.path("hosts")) {
            if (host.path("runs").asBoolean(false)
                    && host.path("vms").asInt() > 1 // the first is its control domain
                    && !host.path("address").asString("").equals(coordinator)) {
                return host.path("uuid").asString("");
            }
        }
        throw new IOException("pool " + pool + " has no member that runs VMs");
    }

    private JsonNode state(String pool) throws IOException, InterruptedException {
        for (JsonNode each : JSON.readTree(http.get("/state")).path("pools")) {
            if (each.path("uuid").asString("").equals(pool)) {
                return each;
            }
        }
        throw new IOException("the simulator has no pool " + pool);
    }

    /** Replies of a pool to clients that do not request tasks alone, the oldest first. */
    List<Batch> batches(String pool) throws IOException, InterruptedException {
        List<Batch> batches = new ArrayList<>();
        for (JsonNode each : JSON.readTree(http.get("/batches"))) {
            if (each.path("uuid").asString("").equals(pool)) {
                for (JsonNode batch : each.path("batches")) {
                    if (!batch.path("tasks").asBoolean(false)) {
                        batches.add(
                                new Batch(
                                        batch.path("generation").asLong(),
                                        batch.path("nanos").asLong()));
                    }
                }
            }
        }
        return batches;
    }

    @Override
    public void close() {
        http.close();
    }
}
