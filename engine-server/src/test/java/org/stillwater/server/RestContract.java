package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.core.history.HistoryMetric;
import org.stillwater.core.history.HistoryMetric.Subject;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.server.ContractSubject.Change;
import org.stillwater.server.ContractSubject.Gap;
import tools.jackson.databind.JsonNode;

/**
 * The hosts and VMs of the native REST interface, for any hypervisor. The engine polls only on
 * request, so that two reads have the same numbers.
 */
abstract class RestContract {

    /** The hosts and VMs of this run. */
    abstract ContractSubject subject();

    private RunningEngine engine() {
        return subject().engine();
    }

    private JsonNode json(String path) {
        return engine().json(path);
    }

    private JsonNode items(String path) {
        return json(path).path("items");
    }

    /** A VM that is up. */
    private JsonNode aVm() {
        return items("/api/v1/vms?limit=1&status=up").path(0);
    }

    private int total(String query) {
        return json("/api/v1/vms" + query + "&total=true").path("total").asInt();
    }

    private Set<String> ids(String filter) {
        return new HashSet<>(
                items("/api/v1/vms?fields=id&limit=60&" + filter).findValuesAsString("id"));
    }

    static void assertProblem(HttpResponse<String> answer, int status) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        assertThat(answer.headers().firstValue("Content-Type"))
                .get()
                .asString()
                .startsWith("application/problem+json");
        JsonNode problem = RunningEngine.JSON.readTree(answer.body());
        assertThat(problem.path("status").asInt()).isEqualTo(status);
        assertThat(problem.path("title").asString()).isNotBlank();
    }

    // ------------------------------------------------------------------------------- lists

    @Test
    void hostsAreListedWithTheirNumbers() {
        JsonNode list = json("/api/v1/hosts");
        assertThat(list.path("total").asInt()).isEqualTo(subject().hosts());
        JsonNode host = list.path("items").get(0);
        assertThat(host.path("status").asString()).isEqualTo("up");
        assertThat(host.path("usage").path("cpuPercent").isNumber()).isTrue();
        assertThat(host.has("statistics")).as("lists are light").isFalse();
        String id = host.path("id").asString();
        JsonNode one = json("/api/v1/hosts/" + id);
        assertThat(one.path("capabilities").path("cpu").path("cores").asInt()).isPositive();
        assertThat(one.path("hardware").path("serialNumber").asString()).isNotBlank();
        JsonNode statistics = one.path("statistics");
        assertThat(statistics.path("vms").path("count").asInt()).isEqualTo(subject().vmsOn(id));
        assertThat(statistics.path("nics").has(subject().nic())).isTrue();
        assertThat(one.path("nics").findValuesAsString("name")).contains(subject().nic());
        if (!subject().has(Gap.NUMBERS_OF_EACH_CORE)) {
            assertThat(statistics.path("cpu").path("cores").size()).isEqualTo(16);
        }
        assertThat(statistics.path("storageDomains").size()).isEqualTo(2);
        if (!subject().has(Gap.LOCAL_DISKS)) {
            assertThat(statistics.path("localDisksFreeMebibytes").path("/tmp").asInt())
                    .isPositive();
        }
        if (!subject().has(Gap.BONDS)) {
            assertThat(one.path("capabilities").path("network").path("bonds").has("bond0"))
                    .isTrue();
            assertThat(one.path("nics").findValuesAsString("name")).contains("bond0");
        }
    }

    @Test
    void aVmHasEveryFieldOfTheTable() {
        JsonNode vm = aVm();
        for (RuntimeField field : RuntimeField.values()) {
            assertThat(vm.has(Truth.member(field))).as(field.name()).isTrue();
        }
        assertThat(vm.path("observedAt").asString()).endsWith("Z");
        String path = "/api/v1/vms/" + vm.path("id").asString();
        assertThat(json(path).path("name")).isEqualTo(vm.path("name"));
        JsonNode statistics = json(path + "/statistics");
        assertThat(statistics.path("stale").asBoolean()).isFalse();
        assertThat(statistics.path("cpuUserPercent").isNumber()).isTrue();
        assertThat(statistics.path("nics").size()).isPositive();
    }

    @ParameterizedTest
    @CsvSource({"id,7", "name,7", "id,60", "name,1000", "id,1"})
    void pagesNeitherRepeatNorSkip(String sort, int limit) {
        List<String> keys = new ArrayList<>();
        Set<String> ids = new HashSet<>();
        String cursor = "";
        while (cursor != null) {
            JsonNode page =
                    json(
                            "/api/v1/vms?sort=%s&limit=%d&cursor=%s&total=true"
                                    .formatted(sort, limit, cursor));
            assertThat(page.path("total").asInt()).isEqualTo(subject().vms());
            page.path("items")
                    .forEach(vm -> {
                        keys.add(vm.path(sort).asString());
                        ids.add(vm.path("id").asString());
                    });
            cursor = page.path("next").isNull() ? null : page.path("next").asString();
        }
        assertThat(keys).hasSize(subject().vms()).isSorted();
        assertThat(ids).hasSize(subject().vms());
    }

    @Test
    void listsAreFilteredByStatusHostAndName() {
        JsonNode vm = aVm();
        String host = vm.path("hostId").asString();
        String hostName = json("/api/v1/hosts/" + host).path("name").asString();
        assertThat(total("?host=" + host)).isEqualTo(subject().vmsOn(host));
        assertThat(total("?host=" + hostName)).isEqualTo(subject().vmsOn(host));
        assertProblem(engine().get("/api/v1/vms?host=nowhere"), 404);
        assertProblem(engine().get("/api/v1/statistics/vms?host=" + host + ",nowhere"), 404);
        assertThat(total("?status=UP,paused")).isEqualTo(subject().running());
        assertThat(total("?status=suspended")).isZero();
        assertThat(total("?name=" + vm.path("name").asString().toUpperCase(Locale.ROOT)))
                .isEqualTo(1);
    }

    @Test
    void definitionsAreListedByVersion() {
        JsonNode vm = aVm();
        JsonNode versions = json("/api/v1/vms/" + vm.path("id").asString() + "/configurations");
        assertThat(versions.path("items")).hasSize(1);
        assertThat(versions.path("next").isNull()).isTrue();
        JsonNode version = versions.path("items").path(0);
        assertThat(version.path("version").asInt()).isEqualTo(1);
        assertThat(version.path("validUntil").isNull()).isTrue();
        for (String member : List.of("name", "origin", "clusterId", "memoryMebibytes", "cpus")) {
            assertThat(version.path(member)).as(member).isEqualTo(vm.path(member));
        }
        JsonNode host = items("/api/v1/hosts").path(0);
        JsonNode hosts =
                json("/api/v1/hosts/" + host.path("id").asString() + "/configurations?limit=1");
        assertThat(hosts.path("items").path(0).path("name")).isEqualTo(host.path("name"));
        assertThat(hosts.path("items").path(0).path("port").isInt()).isTrue();
    }

    @Test
    void fieldsAreSelectedAndUnknownOnesNamed() {
        JsonNode vm =
                items("/api/v1/vms?limit=1&status=up&fields=name,id,statistics.cpu,status").get(0);
        assertThat(vm.propertyNames()).containsExactly("name", "id", "status", "statistics");
        assertThat(vm.path("statistics").propertyNames()).containsExactly("cpu");
        HttpResponse<String> refused = engine().get("/api/v1/vms?fields=id,size");
        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(refused.body()).contains("no field size").contains("statistics.usageCpuPercent");
    }

    @Test
    void aGuestIsFoundByItsAddressAndItsNameInDns() {
        boolean named = !subject().has(Gap.GUEST_NAMES);
        JsonNode guest = null;
        for (JsonNode vm : items("/api/v1/vms?fields=id,guestIps,fqdn&limit=60")) {
            if (!vm.path("guestIps").asString("").isEmpty()
                    && (!named || !vm.path("fqdn").asString("").isEmpty())) {
                guest = vm;
            }
        }
        assertThat(guest).isNotNull();
        String address = guest.path("guestIps").asString().split(" ")[0];
        List<String> filters = new ArrayList<>(List.of("ip=" + address, "ip=" + address + "/32"));
        if (named) {
            filters.add("fqdn=" + guest.path("fqdn").asString().toUpperCase(Locale.ROOT));
        }
        for (String filter : filters) {
            JsonNode found = json("/api/v1/vms?total=true&fields=id&" + filter);
            assertThat(found.path("total").asInt()).as(filter).isEqualTo(1);
            assertThat(found.path("items").get(0).path("id")).isEqualTo(guest.path("id"));
        }
        assertThat(items("/api/v1/statistics/vms?fields=id&ip=" + address)).hasSize(1);
        assertThat(engine().get("/api/v1/vms?ip=web-1").body())
                .contains("ip has addresses such as 10.0.3.7");
        assertThat(
                        json("/api/v1/hosts?total=true&address=" + subject().addresses())
                                .path("total")
                                .asInt())
                .isEqualTo(subject().hosts());
        assertThat(json("/api/v1/hosts?address=*.example&total=true").path("total").asInt())
                .isZero();
    }

    @Test
    void aNameIsAsGoodAsAnId() {
        JsonNode vm = items("/api/v1/vms?limit=1&status=up&fields=id,name,hostId,hostName").path(0);
        String id = vm.path("id").asString();
        String name = vm.path("name").asString();
        String host = vm.path("hostId").asString();
        String hostName = vm.path("hostName").asString();
        for (String path : List.of("", "/statistics", "/numa", "/configurations")) {
            RunningEngine.await( // a poll may come between two reads
                    () ->
                            json("/api/v1/vms/" + name + path)
                                    .equals(json("/api/v1/vms/" + id + path)),
                    () -> path + ": " + json("/api/v1/vms/" + name + path));
        }
        assertThat(json("/api/v1/hosts/" + hostName + "/configurations"))
                .isEqualTo(json("/api/v1/hosts/" + host + "/configurations"));
        assertThat(engine().post("/api/v1/hosts/" + hostName + "/refresh").statusCode())
                .isEqualTo(202);
        for (String list : List.of("events", "operations", "work")) {
            RunningEngine.await( // an event may come between two reads
                    () ->
                            items("/api/v1/" + list + "?vm=" + name)
                                    .equals(items("/api/v1/" + list + "?vm=" + id)),
                    () -> list + ": " + items("/api/v1/" + list + "?vm=" + name));
            HttpResponse<String> nobody = engine().get("/api/v1/" + list + "?vm=nobody");
            assertThat(nobody.statusCode()).as(list).isEqualTo(404);
            assertThat(nobody.body()).contains("There is no VM nobody.");
        }
        assertThat(engine().get("/api/v1/vms/nobody").statusCode()).isEqualTo(404);
        assertThat(engine().get("/api/v1/hosts/nobody").statusCode()).isEqualTo(404);
    }

    @Test
    void statisticsAreInTheListOnRequest() {
        String query = "/api/v1/vms?statistics=true&limit=60";
        RunningEngine.await( // a poll may come between two reads
                () -> {
                    assertThat(items(query)).hasSize(subject().vms());
                    JsonNode vm = items(query + "&status=up").get(0);
                    JsonNode numbers = vm.path("statistics");
                    JsonNode alone =
                            json("/api/v1/vms/" + vm.path("id").asString() + "/statistics");
                    return List.of("observedAt", "stale", "usageCpuPercent", "elapsedSeconds")
                                    .stream()
                                    .allMatch(name ->
                                            numbers.has(name)
                                                    && numbers.path(name).equals(alone.path(name)))
                            && numbers.path("nics").size() == alone.path("nics").size();
                },
                () ->
                        "the list and the VM differ: "
                                + json("/api/v1/vms?statistics=true&limit=1&status=up"));
        assertThat(items("/api/v1/vms?limit=1").get(0).has("statistics")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "cpu,name",
                "-cpu,name",
                "-memory,-name",
                "host,-statistics.elapsedSeconds,id",
                "-id",
                "trouble,name",
                "highlyAvailable,-cpus,name"
            })
    void pagesOfAnyOrderHaveEveryVmOnce(String sort) {
        RunningEngine.await( // a poll may come between two pages
                () -> {
                    List<String> whole =
                            items("/api/v1/vms?fields=id&limit=60&sort=" + sort)
                                    .findValuesAsString("id");
                    List<String> paged = pages(sort);
                    return paged.equals(whole) && new HashSet<>(paged).size() == subject().vms();
                },
                () -> sort + ": " + pages(sort));
    }

    /** The VMs of all pages of seven. */
    private List<String> pages(String sort) {
        List<String> ids = new ArrayList<>();
        String cursor = "";
        while (cursor != null) {
            JsonNode page =
                    json("/api/v1/vms?fields=id&limit=7&sort=" + sort + "&cursor=" + cursor);
            page.path("items").forEach(vm -> ids.add(vm.path("id").asString()));
            cursor = page.path("next").isNull() ? null : page.path("next").asString();
        }
        return ids;
    }

    @Test
    void troubleFollowsFromTheStatus() {
        JsonNode all = items("/api/v1/vms?fields=status,trouble&limit=60&sort=trouble");
        List<Integer> trouble = new ArrayList<>();
        for (JsonNode vm : all) {
            trouble.add(vm.path("trouble").asInt());
            if (vm.path("status").asString().equals("up")) {
                assertThat(vm.path("trouble").asInt()).isEqualTo(5);
            }
        }
        assertThat(trouble).isNotEmpty().isSorted();
    }

    @Test
    void sortedByTheNewestReportTheOldestIsTheFirst() {
        List<String> times = new ArrayList<>();
        items("/api/v1/vms?fields=statistics.reportedAt&limit=60&sort=reportedAt,name")
                .forEach(vm -> {
                    JsonNode at = vm.path("statistics").path("reportedAt");
                    times.add(at.isNull() ? "unknown" : at.asString());
                });
        assertThat(times).hasSizeGreaterThan(1).isSorted();
        assertThat(times.getFirst()).matches("....-..-..T..:..:..[.]...Z");
        assertThat(items("/api/v1/statistics/vms?fields=id,reportedAt").get(0).has("reportedAt"))
                .isTrue();
        assertThat(items("/api/v1/statistics/vms").get(0).has("reportedAt")).isFalse();
    }

    @Test
    void ratesOfAVmAreThoseOfAllItsDisks() {
        JsonNode all =
                items(
                        "/api/v1/vms?fields=name,statistics.disks,statistics.diskReadRate,"
                                + "statistics.diskWriteRate&limit=60&sort=-diskReadRate,name");
        List<Double> rates = new ArrayList<>();
        for (JsonNode vm : all) {
            JsonNode statistics = vm.path("statistics");
            JsonNode disks = statistics.path("disks");
            isTheSum(statistics.path("diskReadRate"), disks, "readBytesPerSecond");
            isTheSum(statistics.path("diskWriteRate"), disks, "writeBytesPerSecond");
            if (!statistics.path("diskReadRate").isNull()) {
                rates.add(statistics.path("diskReadRate").asDouble());
            }
        }
        assertThat(all).isNotEmpty();
        assertThat(rates).isSortedAccordingTo(Comparator.reverseOrder());
        assertThat(
                        items("/api/v1/statistics/vms?fields=id,diskReadRate")
                                .get(0)
                                .has("diskReadRate"))
                .isTrue();
        assertThat(items("/api/v1/statistics/vms").get(0).has("diskReadRate")).isFalse();
    }

    /** Null without disks, and if the member of one is null. */
    private static void isTheSum(JsonNode rate, JsonNode disks, String member) {
        double sum = disks.isEmpty() ? Double.NaN : 0;
        for (JsonNode disk : disks) {
            sum += disk.path(member).asDouble(Double.NaN);
        }
        assertThat(rate.isNull()).isEqualTo(Double.isNaN(sum));
        if (!rate.isNull()) {
            assertThat(rate.asDouble()).isCloseTo(sum, within(1.0)); // each is rounded
        }
    }

    @Test
    void sortedByUsageIsSortedByUsage() {
        List<Integer> usage = new ArrayList<>();
        items("/api/v1/vms?fields=statistics.cpu&limit=60&sort=-cpu")
                .forEach(vm -> {
                    JsonNode cpu = vm.path("statistics").path("cpu");
                    usage.add(cpu.isNull() ? -1 : cpu.asInt());
                });
        assertThat(usage.reversed()).isSorted();
    }

    @Test
    void listsAreFilteredByWildcardClusterAndNumbers() {
        JsonNode all = items("/api/v1/vms?limit=60&statistics=true");
        String name = all.get(3).path("name").asString();
        assertThat(ids("name=" + name)).contains(all.get(3).path("id").asString());
        assertThat(ids("name=" + name.substring(0, name.length() - 1) + "?")).isNotEmpty();
        assertThat(ids("name=*" + name.substring(2).toUpperCase(Locale.ROOT)))
                .contains(all.get(3).path("id").asString());
        assertThat(ids("name=" + name.substring(1) + "*")).isEmpty();
        assertThat(ids("cluster=" + subject().cluster())).hasSize(subject().vms());
        RunningEngine.await( // a poll may come between two reads
                () -> ids("cpuAbove=20").equals(busy()), () -> "busy: " + busy());
    }

    /** VMs that use more than 20 % of their processors. */
    private Set<String> busy() {
        Set<String> busy = new HashSet<>();
        for (JsonNode vm : items("/api/v1/vms?limit=60&statistics=true")) {
            JsonNode cpu = vm.path("statistics").path("usageCpuPercent");
            if (!cpu.isNull() && cpu.asInt() > 20) {
                busy.add(vm.path("id").asString());
            }
        }
        return busy;
    }

    @Test
    void everyValueHasItsAgeOnRequest() {
        JsonNode vm = items("/api/v1/vms?limit=1&status=up&age=true&statistics=true").get(0);
        assertThat(vm.path("status").path("value").isString()).isTrue();
        assertThat(vm.path("status").path("ageSeconds").isNumber()).isTrue();
        assertThat(vm.path("status").path("state").asString()).isEqualTo("current");
        vm.path("statistics")
                .forEach(value -> {
                    assertThat(value.path("state").asString()).isIn("current", "stale", "unknown");
                    assertThat(value.path("state").asString().equals("unknown"))
                            .isEqualTo(value.path("value").isNull());
                });
    }

    @ParameterizedTest
    @CsvSource({
        "/api/v1/vms",
        "/api/v1/vms?statistics=true",
        "/api/v1/vms?sort=-cpu&limit=5",
        "/api/v1/hosts",
        "/api/v1/clusters",
        "/api/v1/data-centres",
        "/api/v1/statistics/vms",
        "/api/v1/statistics/vms?format=csv",
        "/api/v1/statistics/hosts",
        "/api/v1/operations",
        "/api/v1/work",
        "/api/v1/events"
    })
    void aMatchingEntityTagGets304(String path) throws Exception {
        HttpResponse<String> first = engine().get(path);
        String tag = first.headers().firstValue("ETag").orElseThrow();
        HttpResponse<String> again = conditional(path, tag);
        for (int i = 0; i < 9 && again.statusCode() == 200; i++) {
            first = again; // a host's numbers came between the two
            tag = first.headers().firstValue("ETag").orElseThrow();
            again = conditional(path, tag);
        }
        assertThat(first.statusCode()).as(first.body()).isEqualTo(200);
        assertThat(tag).startsWith("\"").endsWith("\"");
        assertThat(again.statusCode()).isEqualTo(304);
        assertThat(again.body()).isEmpty();
        assertThat(again.headers().firstValue("ETag")).contains(tag);
        assertThat(conditional(path, "\"other\"").statusCode()).isEqualTo(200);

        HttpResponse<byte[]> small = compressed(path);
        if (small.headers().firstValue("Content-Encoding").isPresent()) {
            for (int i = 0; i < 9 && !isOfTheSame(small, first); i++) {
                first = engine().get(path); // a host's numbers came between the two
                small = compressed(path);
            }
            assertThat(isOfTheSame(small, first)).as("%s and %s", small, first).isTrue();
            String unzipped =
                    new String(
                            new GZIPInputStream(new ByteArrayInputStream(small.body()))
                                    .readAllBytes(),
                            StandardCharsets.UTF_8);
            assertThat(unzipped).isEqualTo(first.body());
        }
    }

    private HttpResponse<byte[]> compressed(String path) throws Exception {
        return HttpClient.newHttpClient()
                .send(
                        request(path).header("Accept-Encoding", "gzip").build(),
                        HttpResponse.BodyHandlers.ofByteArray());
    }

    /** Whether the tag is the other one's but for the encoding, so that it is not the same. */
    private static boolean isOfTheSame(HttpResponse<?> gzip, HttpResponse<?> plain) {
        String tag = plain.headers().firstValue("ETag").orElseThrow();
        return gzip.headers()
                .firstValue("ETag")
                .orElseThrow()
                .equals(tag.substring(0, tag.length() - 1) + "-gzip\"");
    }

    HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(engine().address() + path));
    }

    private HttpResponse<String> conditional(String path, String tag) {
        return engine().send(request(path).header("If-None-Match", tag).build());
    }

    @Test
    void changesArePolledByRevision() {
        AtomicReference<JsonNode> unchanged = new AtomicReference<>();
        RunningEngine.await( // an earlier test may have changes that come between two reads
                () -> {
                    long now = json("/api/v1/vms?limit=1").path("revision").asLong();
                    unchanged.set(json("/api/v1/vms?since=" + now));
                    return unchanged.get().path("items").isEmpty()
                            && unchanged.get().path("removed").isEmpty();
                },
                () -> "always something: " + unchanged);
        JsonNode none = unchanged.get();
        long revision = none.path("revision").asLong();
        Change change = subject().change(0);
        change.make();
        JsonNode changes =
                json(
                        "/api/v1/vms?fields=id,%s,revision&since=%d"
                                .formatted(change.member(), none.path("revision").asLong()));
        JsonNode changed = null;
        for (JsonNode item : changes.path("items")) {
            assertThat(item.path("revision").asLong()).isGreaterThan(revision);
            if (item.path("id").asString().equals(change.vm())) {
                changed = item;
            }
        }
        assertThat(changed).as("" + changes).isNotNull();
        assertThat(changed.path(change.member()).asString()).isEqualTo(change.value());
        assertThat(changes.path("revision").asLong()).isGreaterThan(revision);
        JsonNode left = json("/api/v1/vms?status=suspended&since=" + revision);
        assertThat(left.path("items")).isEmpty();
        assertThat(left.path("removed").values().stream().map(JsonNode::asString))
                .as("does not match any more")
                .contains(change.vm());
        HttpResponse<String> old = engine().get("/api/v1/vms?since=17");
        assertThat(old.statusCode()).isEqualTo(410);
        assertThat(old.body()).contains("Read GET /api/v1/vms without since");
    }

    // ------------------------------------------------------------------------------- numbers

    @Test
    void statisticsHaveThreeForms() {
        int vms = subject().vms();
        JsonNode json = json("/api/v1/statistics/vms?nics=true&disks=true");
        assertThat(json.path("items")).hasSize(vms);
        JsonNode first = first(json.path("items"), vm -> vm.path("status").asString().equals("up"));
        assertThat(first.propertyNames())
                .contains("id", "name", "status", "observedAt", "stale", "cpuUserPercent", "nics");
        String[] lines = engine().get("/api/v1/statistics/vms?format=ndjson").body().split("\n");
        assertThat(lines).hasSize(vms);
        assertThat(RunningEngine.JSON.readTree(lines[0]).path("id").isString()).isTrue();
        HttpResponse<String> csv =
                engine().send(
                                request("/api/v1/statistics/vms?fields=id,name,cpu,memory")
                                        .header("Accept", "text/csv")
                                        .build());
        assertThat(csv.headers().firstValue("Content-Type"))
                .get()
                .asString()
                .startsWith("text/csv");
        String[] rows = csv.body().split("\r\n");
        assertThat(rows[0]).isEqualTo("id,name,cpu,memory");
        assertThat(rows).hasSize(vms + 1);
        String[] parts =
                engine().get("/api/v1/statistics/vms?format=csv&nics=true&disks=true")
                        .body()
                        .split("\r\n");
        int columns = parts[0].split(",", -1).length;
        for (String row : parts) {
            if (!row.contains("\"")) {
                assertThat(row.split(",", -1)).as(row).hasSize(columns);
            }
        }
        assertThat(parts.length).isGreaterThan(2 * vms);
        assertThat(
                        engine().send(
                                        request("/api/v1/statistics/vms")
                                                .header("Accept", "image/png")
                                                .build())
                                .statusCode())
                .isEqualTo(406);
        assertThat(items("/api/v1/statistics/hosts?nics=true")).hasSize(subject().hosts());
    }

    private static JsonNode first(JsonNode items, Predicate<JsonNode> wanted) {
        return items.valueStream().filter(wanted).findFirst().orElseThrow();
    }

    @Test
    void prometheusReadsEveryVmAndHost() {
        String vms = engine().get("/metrics/vms").body();
        for (JsonNode vm : items("/api/v1/vms?fields=name&limit=60&status=up,paused")) {
            assertThat(vms).contains('"' + vm.path("name").asString() + '"');
        }
        String hosts = engine().get("/metrics/hosts").body();
        for (JsonNode host : items("/api/v1/hosts")) {
            assertThat(hosts).contains('"' + host.path("name").asString() + '"');
        }
    }

    @Test
    void historyIsReturnedAsSeries() {
        JsonNode vm = aVm();
        JsonNode of =
                json(
                        "/api/v1/vms/%s/history?metric=usageCpuPercent"
                                .formatted(vm.path("id").asString()));
        assertThat(of.path("vmId")).isEqualTo(vm.path("id"));
        assertThat(of.path("step").asString()).startsWith("PT");
        JsonNode cpu = of.path("series").get(0);
        assertThat(cpu.path("metric").asString()).isEqualTo("usageCpuPercent");
        assertThat(cpu.path("unit").asString()).isEqualTo("%");
        assertThat(cpu.path("mean").size()).isEqualTo(of.path("at").size());
        JsonNode all =
                json("/api/v1/hosts/%s/history?from=-60s".formatted(vm.path("hostId").asString()));
        assertThat(all.path("hostId")).isEqualTo(vm.path("hostId"));
        assertThat(all.path("series").findValuesAsString("metric"))
                .containsExactlyElementsOf(
                        HistoryMetric.of(Subject.HOST).stream().map(HistoryMetric::label).toList());
    }

    @Test
    void noListReadsTheDatabase() {
        OvirtContract.settle(engine());
        long before = engine().statements();
        for (String path :
                List.of(
                        "/api/v1/vms?statistics=true&limit=60",
                        "/api/v1/hosts?statistics=true",
                        "/api/v1/clusters",
                        "/api/v1/statistics/vms?nics=true",
                        "/api/v1/statistics/hosts",
                        "/metrics/vms",
                        "/metrics/hosts")) {
            assertThat(engine().get(path).statusCode()).as(path).isEqualTo(200);
        }
        assertThat(engine().statements()).isEqualTo(before);
    }

    // ------------------------------------------------------------------------------- why

    @Test
    void valuesOfAVmAndOfAHostAreExplained() {
        JsonNode vm = aVm();
        JsonNode explained = json("/api/v1/vms/" + vm.path("name").asString() + "/explain");
        assertThat(explained.path("vmId")).isEqualTo(vm.path("id"));
        JsonNode reported = group(explained, "reported");
        assertThat(reported.path("values").valueStream().map(JsonNode::asString))
                .contains("status", "guestIps");
        assertThat(reported.path("report").path("hostId")).isEqualTo(vm.path("hostId"));
        assertThat(reported.path("report").path("decodedAt").asString()).isNotBlank();
        assertThat(group(explained, "counted").path("ageSeconds").isNumber()).isTrue();
        assertThat(group(explained, "defined").path("stale").asBoolean()).isFalse();
        JsonNode host = json("/api/v1/hosts/" + vm.path("hostId").asString() + "/explain");
        assertThat(group(host, "vms").path("report").path("kind").asString()).isEqualTo("poll");
        assertThat(group(host, "reported").path("values").valueStream().map(JsonNode::asString))
                .contains("capabilities");
        assertThat(engine().get("/api/v1/vms/" + UUID.randomUUID() + "/explain").statusCode())
                .isEqualTo(404);
    }

    private static JsonNode group(JsonNode explained, String name) {
        return first(explained.path("items"), each -> each.path("group").asString().equals(name));
    }

    @Test
    void beliefsAreListedWithTheirRules() {
        Change change = subject().change(1);
        change.make();
        JsonNode vm = json("/api/v1/vms/" + change.vm());
        String path = "/api/v1/vms/" + vm.path("name").asString() + "/beliefs";
        JsonNode beliefs = json(path);
        assertThat(beliefs.path("missing").isNull()).isTrue();
        JsonNode newest = beliefs.path("items").get(0);
        assertThat(newest.path("status")).isEqualTo(vm.path("status"));
        assertThat(newest.path("hostId")).isEqualTo(vm.path("hostId"));
        assertThat(newest.path("scenario").asString()).matches("S[0-9]+");
        JsonNode then = json(path + "?at=" + newest.path("at").asString());
        assertThat(then.path("items")).hasSize(1);
        assertThat(then.path("items").get(0)).isEqualTo(newest);
        String local =
                Instant.parse(newest.path("at").asString())
                        .atOffset(ZoneOffset.ofHours(2))
                        .toString();
        assertThat(local).endsWith("+02:00");
        assertThat(json(path + "?at=" + local).path("items").get(0))
                .as("with a plus sign that is not escaped, as for events and history")
                .isEqualTo(newest);
        JsonNode before = json(path + "?at=2020-01-01T00:00:00Z");
        assertThat(before.path("items")).isEmpty();
        JsonNode host = json("/api/v1/hosts/" + vm.path("hostId").asString() + "/beliefs");
        assertThat(host.path("items").get(0).path("rule").asString()).isEqualTo("contact_made");
        assertThat(host.path("items").get(0).path("scenario").asString()).isEqualTo("S85");
        assertThat(engine().get(path + "?at=yesterday").statusCode()).isEqualTo(400);
        assertThat(engine().get(path + "?at=2999-01-01T00:00:00Z").statusCode()).isEqualTo(400);
    }

    // ------------------------------------------------------------------------------- commands

    private JsonNode carriedOut(String path) {
        HttpResponse<String> taken = engine().post(path);
        assertThat(taken.statusCode()).as(taken.body()).isEqualTo(202);
        String operation =
                "/api/v1/operations/"
                        + RunningEngine.JSON.readTree(taken.body()).path("id").asString();
        RunningEngine.await(
                () -> {
                    subject().pass();
                    return json(operation).path("endedAt").isString();
                },
                () -> json(operation).toString());
        return json(operation);
    }

    private void awaitStatus(String vm, String status) {
        RunningEngine.await(
                () -> {
                    subject().pass();
                    return json(vm).path("status").asString().equals(status);
                },
                () -> json(vm).toString());
    }

    @Test
    void aCommandIsAnOperationWithEvents() throws Exception {
        String id = subject().vm(0);
        String vm = "/api/v1/vms/" + id;
        JsonNode paused = carriedOut(vm + "/pause");
        assertThat(paused.path("state").asString()).as(paused.toString()).isEqualTo("succeeded");
        assertThat(paused.path("kind").asString()).isEqualTo("pause");
        assertThat(paused.path("vmId").asString()).isEqualTo(id);
        awaitStatus(vm, "paused");
        HttpResponse<String> again = engine().post(vm + "/pause");
        assertProblem(again, 409);
        assertThat(again.body()).contains("paused");
        JsonNode resumed = carriedOut(vm + "/resume");
        assertThat(resumed.path("state").asString()).as(resumed.toString()).isEqualTo("succeeded");
        awaitStatus(vm, "up");
        assertThat(items("/api/v1/operations?vm=" + id).findValuesAsString("kind"))
                .containsExactly("resume", "pause");
        assertThat(items("/api/v1/operations?state=succeeded&kind=pause&vm=" + id)).hasSize(1);

        assertThat(engine().monitoring().flush(Duration.ofSeconds(30))).isTrue();
        JsonNode events = items("/api/v1/events?vm=" + id);
        assertThat(events.findValuesAsString("vmId")).isNotEmpty().containsOnly(id);
        assertThat(events.findValuesAsString("at").stream().map(Instant::parse).toList().reversed())
                .isSorted();
        JsonNode newest = events.get(0);
        String number = newest.path("id").asString();
        for (String filter :
                List.of(
                        "event=" + newest.path("event").asString(),
                        "event=" + newest.path("code").asString(),
                        "severity=" + newest.path("severity").asString(),
                        "since=" + newest.path("at").asString())) {
            assertThat(items("/api/v1/events?vm=" + id + "&" + filter).findValuesAsString("id"))
                    .as(filter)
                    .contains(number);
        }
        assertThat(items("/api/v1/events?vm=" + id + "&severity=alert")).isEmpty();
        assertThat(
                        items("/api/v1/events?vm=" + id + "&until=" + newest.path("at").asString())
                                .findValuesAsString("id"))
                .doesNotContain(number);
    }

    @Test
    void eventsAreListedNewestFirstInPages() {
        List<Long> ids = new ArrayList<>();
        List<String> times = new ArrayList<>();
        String cursor = "";
        while (cursor != null && ids.size() < 100) {
            JsonNode page = json("/api/v1/events?limit=7&cursor=" + cursor);
            page.path("items")
                    .forEach(entry -> {
                        ids.add(entry.path("id").asLong());
                        times.add(entry.path("at").asString());
                    });
            cursor = page.path("next").isNull() ? null : page.path("next").asString();
        }
        assertThat(ids).doesNotHaveDuplicates().isNotEmpty();
        assertThat(times.stream().map(Instant::parse).toList().reversed()).isSorted();
    }
}
