import java.net.Authenticator;
import java.net.PasswordAuthentication;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/*
 * The demo's data centre: VMs of the engine's own, users of three roles, tags, and some trouble to look
 * at. It asks the engine and the simulator over their public interfaces, as a user does, and
 * makes only missing objects: a second start on the same data keeps all changes, and starts the
 * VMs again that ended with their hosts.
 *
 * Runs from source, java DataCentre.java URL CONTROL_URL HOSTS VMS TROUBLE PASSWORD: it needs the
 * same JDK as the engine and nothing else. Exit code 0: it is furnished; 1: it could not be, and
 * standard error has the reason.
 */

static final Duration PATIENCE = Duration.ofMinutes(5);
static final Duration LOOK = Duration.ofMillis(300);

/** Hosts that started with the engine have reported their VMs by then. */
static final Duration REPORTS = Duration.ofMinutes(2);

/** Requests at a time; each new VM waits for the database once. */
static final int AT_ONCE = 8;

static final class Administrator extends Authenticator {
    private final PasswordAuthentication login;

    Administrator(String password) {
        login = new PasswordAuthentication("admin@internal", password.toCharArray());
    }

    @Override
    protected PasswordAuthentication getPasswordAuthentication() {
        return login;
    }
}

/** One VM of this number stays down, for users to start. */
static final int ONE_SPARE_IN = 10;

/** Least number of hosts for a silent one: the others have room for the first actions of a user. */
static final int HOSTS_FOR_TROUBLE = 4;

/** Longer than stillwater.host-policy.slow-answer. */
static final int SLOW_MILLIS = 6_000;

/** Tags of hosts. */
static final int RACKS = 2;

/** The network of the VMs. Guest addresses count for NICs that have a vNIC profile. */
static final String NETWORK = "ovirtmgmt";

static final String POOL = "5f6e7d8c-9b0a-41f2-83e4-d5c6b7a89f01";
static final String DOMAIN = "0d9c8b7a-6f5e-4d3c-8b2a-1f0e9d8c7b6a";

/** A purpose of VMs: a name, MiB of memory, CPUs, whether they are highly available, their tags. */
record Kind(String name, int mebibytes, int cpus, boolean available, List<String> tags) {}

static final List<Kind> KINDS =
        List.of(
                new Kind("web", 2_048, 2, true, List.of("production", "public")),
                new Kind("app", 4_096, 2, true, List.of("production")),
                new Kind("db", 8_192, 4, true, List.of("production", "backup")),
                new Kind("cache", 4_096, 2, false, List.of("production")),
                new Kind("ci", 4_096, 4, false, List.of("development")),
                new Kind("mail", 2_048, 1, true, List.of("production", "public", "backup")),
                new Kind("files", 2_048, 1, false, List.of("backup")),
                new Kind("desktop", 4_096, 2, false, List.of("office")));

HttpClient http;

/** One VM of the data centre. */
record Vm(String name, Kind kind, boolean spare, int number) {

    /** Its definition; the same number always has the same disk. */
    String definition(String vnicProfile) {
        return """
            {"name": "%s", "description": "%s of the demo", "memoryMebibytes": %d, "sockets": 1,
             "coresPerSocket": %d, "highlyAvailable": %s, "priority": %d,
             "disks": [{"name": "root", "format": "qcow2", "place": {"kind": "volume", "pool": "%s",
              "domain": "%s", "image": "%s", "volume": "%s"}}],
             "interfaces": [{"name": "nic1", "network": "%s", "vnicProfile": "%s"}],
             "consoles": [{"protocol": "vnc"}]}"""
                .formatted(
                        name,
                        kind.name(),
                        kind.mebibytes(),
                        kind.cpus(),
                        kind.available() && !spare,
                        kind.available() ? 50 : 0,
                        POOL,
                        DOMAIN,
                        id("image"),
                        id("volume"),
                        NETWORK,
                        vnicProfile);
    }

    private UUID id(String what) {
        return UUID.nameUUIDFromBytes((what + number).getBytes(StandardCharsets.UTF_8));
    }
}

void main(String[] arguments) throws Exception {
    var engine = URI.create(arguments[0]);
    var control = URI.create(arguments[1]);
    int hosts = Integer.parseInt(arguments[2]);
    int vms = Integer.parseInt(arguments[3]);
    boolean trouble = Boolean.parseBoolean(arguments[4]);
    var password = arguments[5];
    http =
            HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .connectTimeout(Duration.ofSeconds(5))
                    .authenticator(new Administrator(password)) // where the engine requests a login
                    .build();
    try {
        await("the engine is not ready", () -> get(engine, "/actuator/health/readiness").statusCode() == 200);
        var wanted = wanted(vms);
        var made = make(engine, wanted);
        tag(engine, hosts, made);
        start(engine, wanted);
        users(engine, password);
        if (trouble) {
            trouble(engine, control, hosts, wanted);
        }
        startLost(engine, wanted);
    } catch (IllegalStateException e) {
        System.err.println("the demo's data centre is not complete: " + e.getMessage());
        System.exit(1);
    }
}

static List<Vm> wanted(int count) {
    var all = new ArrayList<Vm>();
    var numbers = new HashMap<String, Integer>();
    for (int i = 0; i < count; i++) {
        boolean spare = i % ONE_SPARE_IN == ONE_SPARE_IN - 1;
        var kind = KINDS.get(i % KINDS.size());
        var base = spare ? "spare" : kind.name();
        all.add(
                new Vm(
                        "%s-%02d".formatted(base, numbers.merge(base, 1, Integer::sum)),
                        kind,
                        spare,
                        i));
    }
    return all;
}

/** The status of each VM, by name. */
Map<String, String> statuses(URI engine) {
    var body = ok(get(engine, "/api/v1/vms?fields=name,status&limit=10000"));
    return Pattern.compile("\"name\"\\s*:\\s*\"([^\"]*)\"\\s*,\\s*\"status\"\\s*:\\s*\"([^\"]*)\"")
            .matcher(body)
            .results()
            .collect(Collectors.toMap(each -> each.group(1), each -> each.group(2), (one, _) -> one));
}

/** The id of the vNIC profile of the VMs' network. */
String vnicProfile(URI engine) {
    var body =
            ok(
                    send(
                            HttpRequest.newBuilder(engine.resolve("/ovirt-engine/api/vnicprofiles"))
                                    .header("Accept", "application/json")));
    var found =
            Pattern.compile("\"id\"\\s*:\\s*\"([^\"]*)\",\\s*\"href\"\\s*:\\s*\"[^\"]*\",\\s*\"name\"\\s*:\\s*\"" + NETWORK + "\"")
                    .matcher(body);
    if (!found.find()) {
        throw new IllegalStateException("there is no vNIC profile " + NETWORK);
    }
    return found.group(1);
}

/** Adds the VMs that do not exist, and returns them. */
List<Vm> make(URI engine, List<Vm> wanted) throws Exception {
    var known = statuses(engine);
    var missing = wanted.stream().filter(vm -> !known.containsKey(vm.name())).toList();
    if (!missing.isEmpty()) {
        var profile = vnicProfile(engine);
        all(
                missing.stream()
                        .<Runnable>map(vm -> () -> ok(post(engine, "/api/v1/vms", vm.definition(profile))))
                        .toList());
    }
    await(
            "not all VMs are there",
            () ->
                    statuses(engine)
                            .keySet()
                            .containsAll(wanted.stream().map(Vm::name).toList()));
    return missing;
}

/** Gives new VMs the tags of their kind; hosts get theirs together with the first VM. */
void tag(URI engine, int hosts, List<Vm> made) throws Exception {
    var paths = new ArrayList<String>();
    for (var vm : made) {
        vm.kind().tags().forEach(tag -> paths.add("/api/v1/vms/" + vm.name() + "/tags/" + tag));
        if (vm.number() == 0) {
            for (int i = 1; i <= hosts; i++) {
                paths.add("/api/v1/hosts/" + host(i) + "/tags/rack-" + (1 + (i - 1) % RACKS));
            }
        }
    }
    all(paths.stream().<Runnable>map(path -> () -> ok(put(engine, path))).toList());
}

/** Sends requests, some at a time. */
static void all(List<Runnable> requests) throws Exception {
    var places = new Semaphore(AT_ONCE);
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
        var answers = new ArrayList<java.util.concurrent.Future<?>>();
        for (var request : requests) {
            answers.add(
                    threads.submit(
                            () -> {
                                places.acquire();
                                try {
                                    request.run();
                                } finally {
                                    places.release();
                                }
                                return null;
                            }));
        }
        for (var answer : answers) {
            try {
                answer.get();
            } catch (java.util.concurrent.ExecutionException e) {
                throw new IllegalStateException(e.getCause().getMessage(), e);
            }
        }
    }
}

/** Starts those that are to be up and are down, as soon as there are hosts for them. */
void start(URI engine, List<Vm> wanted) {
    await("no host is up", () -> ok(get(engine, "/api/v1/hosts?fields=status&status=up")).contains("up"));
    var states = statuses(engine);
    startAll(engine, wanted.stream().map(Vm::name).filter(name -> "down".equals(states.get(name))).toList(), wanted);
}

/**
 * Starts those that ended with their hosts: the engine shows them as up until the hosts report.
 * A VM that a user has stopped meanwhile did not end with an error.
 */
void startLost(URI engine, List<Vm> wanted) {
    var tried = new HashSet<String>();
    var end = Instant.now().plus(REPORTS);
    while (Instant.now().isBefore(end)) {
        var lost = lost(engine);
        lost.removeIf(name -> !tried.add(name));
        startAll(engine, lost, wanted);
        pause(REPORTS.dividedBy(60));
    }
}

/** Starts those of some VMs that are to be up. */
void startAll(URI engine, List<String> names, List<Vm> wanted) {
    var down =
            wanted.stream()
                    .filter(vm -> !vm.spare() && names.contains(vm.name()))
                    .map(vm -> '"' + vm.name() + '"')
                    .collect(Collectors.joining(","));
    if (!down.isEmpty()) {
        ok(post(engine, "/api/v1/vms:batch", "{\"action\": \"start\", \"vms\": [" + down + "]}"));
    }
}

/** The names of the VMs that ended with an error. */
List<String> lost(URI engine) {
    var body = ok(get(engine, "/api/v1/vms?fields=name,status,exitStatus&status=down&limit=10000"));
    return Pattern.compile("\"name\"\\s*:\\s*\"([^\"]*)\"[^{}]*\"exitStatus\"\\s*:\\s*\"error\"")
            .matcher(body)
            .results()
            .map(each -> each.group(1))
            .collect(Collectors.toCollection(ArrayList::new));
}

/** A user of each role but administrator: that user exists already. */
void users(URI engine, String password) {
    var known = ok(get(engine, "/api/v1/users"));
    for (var role : List.of("operator", "reader")) {
        if (!known.contains('"' + role + "@internal\"")) {
            ok(
                    post(
                            engine,
                            "/api/v1/users",
                            "{\"name\": \"%s@internal\", \"password\": \"%s\", \"grants\": [{\"role\": \"%s\"}]}"
                                    .formatted(role, password, role)));
        }
    }
}

/** A VM that its storage paused, a host that answers late, and one that does not answer. */
void trouble(URI engine, URI control, int hosts, List<Vm> wanted) {
    var paused =
            wanted.stream().filter(vm -> !vm.spare() && vm.kind().name().equals("files")).findFirst();
    if (paused.isPresent()) {
        var name = paused.get().name();
        await(name + " is not up", () -> List.of("up", "paused").contains(statuses(engine).get(name)));
        if (statuses(engine).get(name).equals("up")) {
            ok(post(control, "/vms/" + encoded(name) + "/pause", "{\"cause\": \"enospc\"}"));
        }
    }
    if (hosts >= HOSTS_FOR_TROUBLE) {
        ok(
                post(
                        control,
                        "/faults",
                        "{\"kind\": \"latency\", \"host\": \"%s\", \"verb\": \"Host.getAllVmStats\", \"delayMillis\": %d}"
                                .formatted(host(hosts - 1), SLOW_MILLIS)));
        ok(post(control, "/hosts/" + host(hosts) + "/network-loss", "{}"));
    }
}

static String host(int number) {
    return "host-%04d".formatted(number);
}

static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
}

void await(String trouble, BooleanSupplier holds) {
    var deadline = Instant.now().plus(PATIENCE);
    while (true) {
        try {
            if (holds.getAsBoolean()) {
                return;
            }
        } catch (java.io.UncheckedIOException starting) {
            // it is not listening yet
        }
        if (Instant.now().isAfter(deadline)) {
            throw new IllegalStateException(trouble);
        }
        pause(LOOK);
    }
}

static void pause(Duration time) {
    try {
        Thread.sleep(time);
    } catch (InterruptedException e) {
        throw new IllegalStateException("stopped", e);
    }
}

static String ok(HttpResponse<String> answer) {
    if (answer.statusCode() / 100 != 2) {
        throw new IllegalStateException(answer.uri() + " answers " + answer.statusCode() + " " + answer.body());
    }
    return answer.body();
}

HttpResponse<String> get(URI base, String path) {
    return send(HttpRequest.newBuilder(base.resolve(path)));
}

HttpResponse<String> post(URI base, String path, String body) {
    return send(
            HttpRequest.newBuilder(base.resolve(path))
                    .header("Content-Type", "application/json")
                    .POST(BodyPublishers.ofString(body)));
}

HttpResponse<String> put(URI base, String path) {
    return send(HttpRequest.newBuilder(base.resolve(path)).PUT(BodyPublishers.noBody()));
}

HttpResponse<String> send(HttpRequest.Builder request) {
    try {
        return http.send(request.timeout(Duration.ofSeconds(60)).build(), BodyHandlers.ofString());
    } catch (java.io.IOException e) {
        throw new java.io.UncheckedIOException(e);
    } catch (InterruptedException e) {
        throw new IllegalStateException("stopped", e);
    }
}
