package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.microsoft.playwright.APIResponse;
import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Download;
import com.microsoft.playwright.ElementHandle;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.BoundingBox;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.KeyboardModifier;
import com.microsoft.playwright.options.ReducedMotion;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.VmId;
import org.stillwater.dal.Database;
import org.stillwater.dal.TestDatabase;
import org.stillwater.fake.net.HostName;
import org.stillwater.fake.world.WorldSettings;
import org.stillwater.monitoring.alert.AlertMonitor;
import org.stillwater.monitoring.regression.RegressionMonitor;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Journeys through the console in a real Chromium, the one that {@code CHROMIUM} names or that is
 * on the path; without one they are skipped.
 */
@Timeout(180)
class ConsoleIT {

    private static final int HOSTS = 3;
    private static final int RUNNING = 8;
    private static final int DOWN = 40;
    private static final int JOBS = 47;
    private static final int ALL = HOSTS * RUNNING + DOWN + JOBS;
    private static final int MEBIBYTES = 256;
    private static final String READER = "rita";
    private static final String READER_PASSWORD = "long enough 1";
    private static final Path IMAGES = Path.of("..", "docs", "images");
    private static final Path PAGES = Path.of("src", "test", "resources", "pages");
    private static final int BENCHMARK_RUNS = 32;

    /** The host and the VM whose runs are posted, by their words in a report. */
    private static final Map<String, Object> BENCHMARKS = new TreeMap<>();

    private static final String ADMINISTRATOR = "admin@internal";

    @TempDir static Path folder;
    private static TestDatabase database;
    private static SimulatedFleet fleet;
    private static RunningEngine engine;
    private static Playwright playwright;
    private static Browser browser;

    private final List<String> complaints = new CopyOnWriteArrayList<>();
    private BrowserContext context;
    private Page page;

    /** The browser's program; null if there is none. */
    private static Path chromium() {
        String named = System.getenv("CHROMIUM");
        if (named != null && !named.isEmpty()) {
            return Path.of(named);
        }
        for (String place : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator)) {
            for (String name : List.of("chromium", "chromium-browser", "google-chrome")) {
                Path program = Path.of(place, name);
                if (Files.isExecutable(program)) {
                    return program;
                }
            }
        }
        return null;
    }

    @BeforeAll
    static void start() throws Exception {
        Path program = chromium();
        assumeTrue(program != null, "no Chromium: CHROMIUM is not set, and none is on the path");
        database = TestDatabase.migrated();
        try (Database other = database.open()) {
            for (int n = 0; n < DOWN + JOBS; n++) {
                String name = n < DOWN ? "web-" + (n + 1) : "job-" + (n + 1 - DOWN);
                other.definitions().add(ActingOnVms.vm(n), ActingOnVms.definition(name, MEBIBYTES));
            }
        }
        fleet =
                SimulatedFleet.start(
                        folder, WorldSettings.of(53, HOSTS, RUNNING).withHostMemory(512 * 1024));
        engine =
                RunningEngine.start(
                        database,
                        fleet.engineArguments(),
                        "--stillwater.security.anonymous-role=none",
                        "--stillwater.cycle.interval=500ms",
                        "--stillwater.cycle.repoll-pause=0s",
                        "--stillwater.stream.heart-beat=500ms");
        engine.awaitHostsUp(HOSTS);
        RunningEngine.await(
                () -> engine.monitoring().fleet().vmCount() == ALL,
                () -> "" + engine.monitoring().health());
        assertThat(
                        asAdministrator(
                                "POST",
                                "/api/v1/users",
                                "{\"name\":\"%s\",\"password\":\"%s\",\"grants\":[{\"role\":\"reader\"}]}"
                                        .formatted(READER, READER_PASSWORD)))
                .isEqualTo(201);
        playwright =
                Playwright.create(
                        new Playwright.CreateOptions()
                                .setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
        browser =
                playwright
                        .chromium()
                        .launch(
                                new BrowserType.LaunchOptions()
                                        .setExecutablePath(program)
                                        .setTimeout(30_000)
                                        .setArgs(List.of("--no-sandbox", "--disable-gpu")));
    }

    private static int asAdministrator(String method, String path, String body) {
        return as(ADMINISTRATOR, RunningEngine.PASSWORD, method, path, body);
    }

    private static String bodyAsAdministrator(String path) {
        return send(ADMINISTRATOR, RunningEngine.PASSWORD, "GET", path, "").body();
    }

    private static int as(String user, String password, String method, String path, String body) {
        return send(user, password, method, path, body).statusCode();
    }

    private static HttpResponse<String> send(
            String user, String password, String method, String path, String body) {
        String secret = user + ":" + password;
        return engine.send(
                HttpRequest.newBuilder(URI.create(engine.address() + path))
                        .header("Content-Type", "application/json")
                        .header(
                                "Authorization",
                                "Basic "
                                        + Base64.getEncoder()
                                                .encodeToString(
                                                        secret.getBytes(StandardCharsets.UTF_8)))
                        .method(method, HttpRequest.BodyPublishers.ofString(body))
                        .build());
    }

    /** Adds a user of one role, logs in as this user, and waits until so many VMs are shown. */
    private void logInWith(String name, String grant, int seen) {
        assertThat(
                        asAdministrator(
                                "POST",
                                "/api/v1/users",
                                "{\"name\":\"%s\",\"password\":\"%s\",\"grants\":[{%s}]}"
                                        .formatted(name, READER_PASSWORD, grant)))
                .isEqualTo(201);
        context.clearCookies();
        logIn(name, READER_PASSWORD);
        awaitMatches(seen == 1 ? "1 VM" : seen + " VMs");
    }

    @AfterAll
    static void stop() {
        BENCHMARKS.clear();
        if (playwright != null) {
            playwright.close();
        }
        if (engine != null) {
            engine.close();
        }
        if (fleet != null) {
            fleet.close();
        }
        if (database != null) {
            database.close();
        }
    }

    @BeforeEach
    void open() {
        context = browser.newContext(new Browser.NewContextOptions().setViewportSize(1280, 800));
        context.setDefaultTimeout(20_000);
        page = context.newPage();
        page.onPageError(error -> complaints.add(error));
        page.onConsoleMessage(message -> {
            if (message.type().equals("error") && message.text().contains("Content Security")) {
                complaints.add(message.text());
            }
        });
    }

    @AfterEach
    void close() {
        context.close();
        assertThat(complaints).as("errors of the page").isEmpty();
    }

    private void logIn(String name, String password) {
        logIn(engine.address(), name, password);
    }

    private void logIn(String address, String name, String password) {
        page.navigate(address + "/login");
        page.fill("#username", name);
        page.fill("#password", password);
        page.click("button");
        await(() -> page.locator("#link[data-state=live]").count() == 1);
        await(() -> page.locator(".who").count() == 1); // roles and kept views are this user's
        await(() -> rows().count() > 0);
    }

    private void logIn() {
        logIn(ADMINISTRATOR, RunningEngine.PASSWORD);
    }

    /** The address as the browser has it; that of Playwright changes during other calls only. */
    private String url() {
        return (String) page.evaluate("location.href");
    }

    /** Looks again and again, while time passes on the hosts. */
    private void await(BooleanSupplier holds) {
        RunningEngine.await(
                () -> {
                    fleet.world().advance(Duration.ofMillis(200));
                    return holds.getAsBoolean();
                },
                () -> complaints + "\n" + page.locator("body").innerText());
    }

    private Locator rows() {
        return page.locator(".grid-row:not([hidden]):not(.unknown)");
    }

    private Locator button(String name) {
        return page.locator("button", new Page.LocatorOptions().setHasText(Pattern.compile(name)));
    }

    private void search(String words) {
        page.keyboard().press("/");
        page.keyboard().insertText(words);
    }

    /** Opens the first row; a list that moves between press and release would swallow a click. */
    private void openFirst(String words) {
        await(() -> {
            if (page.locator(".drawer").count() == 0
                    && rows().count() > 0
                    && rows().first().innerText().contains(words)) {
                rows().first().locator(".column-name").click();
            }
            return page.locator(".drawer").count() == 1;
        });
    }

    /** Chooses the first rows, whose names begin so; by their names, since rows change places. */
    private void selectFirst(int count, String beginning) {
        selectFirst(count, beginning, count);
    }

    private void selectFirst(int count, String beginning, int afterwards) {
        List<String> names = new ArrayList<>();
        await(() -> {
            names.clear();
            rows().locator(".column-name").allInnerTexts().stream()
                    .limit(count)
                    .filter(name -> name.startsWith(beginning))
                    .forEach(names::add);
            return names.size() == count;
        });
        for (String name : names) {
            rows().filter(
                            new Locator.FilterOptions()
                                    .setHas(page.locator(".column-name:text-is(\"" + name + "\")")))
                    .locator(".check input")
                    .click();
        }
        awaitSelected(afterwards);
    }

    private void awaitSelected(int count) {
        String selected = count + " selected";
        await(() -> page.locator(".actions .count").first().innerText().equals(selected));
    }

    private void awaitNoDialog() {
        await(() -> page.locator("dialog[open]").count() == 0);
    }

    private void awaitMatches(String count) {
        await(() -> page.locator("#search-hint").innerText().equals(count));
    }

    @Test
    void theListFindsSortsAndIsInTheAddress() {
        logIn();
        awaitMatches(ALL + " VMs");
        search("web- -external");
        awaitMatches("40 of " + ALL + " VMs");
        page.locator(".grid-head button", new Page.LocatorOptions().setHasText("Name")).click();
        await(() -> rows().first().innerText().contains("web-1\n"));
        await(() -> url().contains("q=web-") && url().contains("sort=name"));
        page.locator(".grid-head button", new Page.LocatorOptions().setHasText("Name")).click();
        await(() -> page.locator("#row-0").innerText().contains("web-40"));

        page.reload();
        awaitMatches("40 of " + ALL + " VMs");
        await(() -> page.locator("#row-0").innerText().contains("web-40"));
        await(() -> page.locator(".grid").getAttribute("aria-rowcount").equals("41"));
        assertThat(page.evaluate("document.querySelectorAll('*').length"))
                .as("few elements")
                .satisfies(count -> assertThat((int) count).isLessThan(3000));

        search("nokey=1");
        await(() -> page.locator("#search-hint").innerText().contains("There is no key nokey"));
    }

    @Test
    void manyAreStartedAfterADryRunAndSurviveAReload() {
        logIn();
        search("web-1");
        awaitMatches("11 of " + ALL + " VMs");
        button("Select all 11").click();
        awaitSelected(11);
        button("^Shut down$").first().click();
        await(() -> page.locator("dialog[open]").innerText().contains("11 VMs refused"));
        await(() -> page.locator("dialog[open]").innerText().contains("The VM is down"));
        page.locator("dialog[open] .refusals summary").click();
        await(() -> page.locator("dialog[open] .refusals details").innerText().contains("web-19"));
        assertThat(page.locator("dialog[open] .refusals details").innerText().split(", "))
                .as("the names of all that are refused")
                .hasSize(11);
        button("^Cancel$").first().click();

        int before = operations();
        button("^Start$").first().click();
        await(() -> page.locator("dialog[open]").innerText().contains("Start: 11 VMs"));
        assertThat(operations()).as("a dry run begins nothing").isEqualTo(before);
        button("^Start 11$").click();
        await(() -> page.locator(".job").innerText().contains("11 of 11 ended"));
        page.reload();
        await(() -> page.locator(".job").innerText().contains("11 of 11 ended"));
        search("web-1 status:up");
        awaitMatches("11 of " + ALL + " VMs");
        button("^Dismiss$").click();
        await(() -> page.locator(".job").count() == 0);
    }

    private void selectAllOf(String words, int count) {
        search(words);
        awaitMatches(count + " of " + ALL + " VMs");
        button("^Select all " + count + "$").click();
        awaitSelected(count);
    }

    @Test
    void noBatchIsLargerThanTheEngineAccepts() {
        context.route(
                Pattern.compile("/api/v1/me$"),
                route -> {
                    APIResponse answer = route.fetch();
                    route.fulfill(
                            new Route.FulfillOptions()
                                    .setResponse(answer)
                                    .setBody(
                                            answer.text()
                                                    .replace(
                                                            "\"mostInBatch\":5000",
                                                            "\"mostInBatch\":2")));
                });
        List<Integer> sizes = new CopyOnWriteArrayList<>();
        page.onRequest(request -> {
            if (request.url().endsWith("vms:batch")) {
                sizes.add(JsonMapper.shared().readTree(request.postData()).path("vms").size());
            }
        });
        logIn();
        selectAllOf("name:job-3?", 10);
        button("^Resume$").first().click();
        await(() -> page.locator("dialog[open]").innerText().contains("10 VMs refused"));
        assertThat(sizes).containsExactly(2, 2, 2, 2, 2);
        button("^Cancel$").first().click();
        awaitNoDialog();
    }

    @Test
    void theEngineFindsAllThatMatchAndTheOrderNamesThem() {
        List<JsonNode> batches = new CopyOnWriteArrayList<>();
        page.onRequest(request -> {
            if (request.url().endsWith("vms:batch")) {
                batches.add(JsonMapper.shared().readTree(request.postData()));
            }
        });
        logIn();
        selectAllOf("name:job-1?", 10);
        confirm("Protect", 10);
        assertThat(batches).hasSize(2);
        assertThat(batches.getFirst().path("dryRun").asBoolean(false)).isTrue();
        assertThat(batches.getFirst().path("filter").toString()).isEqualTo("{\"name\":\"job-1?\"}");
        assertThat(batches.getFirst().has("vms")).isFalse();
        assertThat(batches.getLast().path("vms")).hasSize(10);
        assertThat(batches.getLast().has("filter")).isFalse();
        button("^Clear selection$").click();
        awaitSelected(0);
        selectAllOf("name:job-1? -name:job-19", 9);
        confirm("Unprotect", 9);
        assertThat(batches.get(2).path("vms")).hasSize(9);
        assertThat(batches.get(2).has("filter")).isFalse();

        // The same search matches one VM more than was selected.
        button("^Clear selection$").click();
        awaitSelected(0);
        selectAllOf("name:job-1?", 10);
        String added = "/api/v1/vms/job-1x";
        assertThat(
                        asAdministrator(
                                "POST",
                                "/api/v1/vms",
                                "{\"name\":\"job-1x\",\"memoryMebibytes\":256}"))
                .isEqualTo(202);
        await(() -> bodyAsAdministrator(added).contains("\"name\":\"job-1x\""));
        button("^Unprotect$").first().click();
        await(() ->
                page.locator("dialog[open]")
                        .innerText()
                        .contains(
                                "The search now matches 11 VMs on which you may act: 10 selected, 1"
                                        + " new."));
        inDialog("^Unprotect 1$").click();
        await(() -> page.locator(".job").innerText().contains("1 of 1 ended"));
        button("^Dismiss$").click();
        RunningEngine.await(
                () -> asAdministrator("DELETE", added, "") == 202, () -> "job-1x is not removed");
        awaitMatches("10 of " + ALL + " VMs");
    }

    private void confirm(String action, int count) {
        button("^" + action + "$").first().click();
        await(() -> inDialog("^" + action + " " + count + "$").isEnabled());
        inDialog("^" + action + " " + count + "$").click();
        await(() -> page.locator(".job").innerText().contains(count + " of " + count + " ended"));
        button("^Dismiss$").click();
        await(() -> page.locator(".job").count() == 0);
    }

    @Test
    void aSelectionIsProtectedAndEditedAfterADryRun() {
        logIn();
        selectAllOf("name:job-2?", 10);
        confirm("Protect", 10);
        button("^Protect$").first().click();
        await(() ->
                page.locator("dialog[open]")
                        .innerText()
                        .contains("10 × The VM is protected already."));
        button("^Cancel$").first().click();
        awaitNoDialog();

        button("^Edit$").first().click();
        await(() -> page.locator("dialog[open]").innerText().contains("Mark the members"));
        assertThat(inDialog("^Edit 0$").isEnabled()).isFalse();
        page.getByLabel("Priority, 0 to 100").first().check();
        page.fill("dialog[open] input[name=priority]", "61");
        page.getByLabel("Description").first().check();
        page.fill("dialog[open] input[name=description]", "nightly");
        await(() -> inDialog("^Edit 10$").isEnabled());
        inDialog("^Edit 10$").click();
        await(() -> page.locator(".job").innerText().contains("10 of 10 ended"));
        button("^Dismiss$").click();
        confirm("Unprotect", 10);
        String path = "/api/v1/vms/job-25/definition";
        var definition =
                JsonMapper.shared().readTree(page.request().get(engine.address() + path).text());
        assertThat(definition.path("priority").asInt()).isEqualTo(61);
        assertThat(definition.path("description").asString()).isEqualTo("nightly");
        assertThat(definition.path("deleteProtected").asBoolean()).isFalse();
    }

    @Test
    void ofASelectionOneConsoleIsOpenedAtATime() {
        logIn();
        search("name:external- status:up");
        selectFirst(2, "external-");
        button("^Console…$").click();
        await(() -> page.locator("dialog[open]").innerText().contains("one at a time"));
        Locator first = page.locator("dialog[open] .consoles button").first();
        await(() -> first.innerText().startsWith("external-"));
        String name = first.innerText();
        first.click();
        await(() -> page.locator("dialog[open]").innerText().contains("Console of " + name));
        await(() -> inDialog("^Get a ticket( for VNC)?$").count() == 1);
        page.keyboard().press("Escape");
        await(() -> page.locator("dialog[open] .consoles button").count() == 2);
        page.keyboard().press("Escape");
        awaitNoDialog();
    }

    @Test
    void theListIsSortedByTheAgeOfItsData() {
        logIn();
        page.getByLabel("Sort by").first().selectOption("age");
        await(() -> url().endsWith("sort=age"));
        await(() -> rows().first().innerText().contains("external-"));
        await(() -> rows().first().locator(".column-age").innerText().endsWith(" s"));
        page.getByLabel("Reverse the order").click();
        await(() ->
                url().endsWith("sort=-age") && !rows().first().innerText().contains("external-"));
    }

    @Test
    void aSharedComparisonShowsNamesBeforeAllVmsAreRead() {
        logIn();
        search("name:external- status:up");
        selectFirst(2, "external-");
        button("^Compare$").click();
        await(() -> url().contains("compare"));
        String link = url();
        context.route(Pattern.compile("/console/worker-"), Route::abort); // it reads no VMs
        page.close();
        page = context.newPage();
        page.navigate(link);
        Locator legend = page.locator("section[aria-label=Compare] .u-legend");
        await(() -> legend.count() == 1 && legend.innerText().contains("external-"));
    }

    @Test
    void aChartIsZoomedAndMovedByKeysAndKeepsTheFocus() {
        logIn();
        search("name:external- status:up");
        openFirst("external-");
        Locator frame = page.locator(".drawer .chart-frame").first();
        await(() -> frame.locator("canvas").count() == 1);
        assertThat(frame.getAttribute("aria-label")).contains("CPU", "last hour", "arrow keys");
        frame.focus();
        page.keyboard().press("+");
        await(() -> url().contains("zoom="));
        await(() -> page.locator(".drawer .charts[aria-busy=false] canvas").count() == 4);
        String zoomed = url();
        page.keyboard().press("ArrowLeft");
        await(() -> !url().equals(zoomed));
        await(() -> page.locator(".drawer .charts[aria-busy=false] canvas").count() == 4);
        assertThat(frame.evaluate("each => each === document.activeElement")).isEqualTo(true);
        await(() -> frame.getAttribute("aria-label").contains(" to "));
        page.keyboard().press("0");
        await(() -> !url().contains("zoom="));
        page.keyboard().press("?");
        await(() -> page.locator("dialog[open] .keys").innerText().contains("In a chart"));
    }

    /** Compares the page with its stored picture, which {@code -Dstillwater.docs=write} renews. */
    private void looksAsStored(String name) throws IOException {
        Path stored = PAGES.resolve(name + ".png");
        PagePicture now = PagePicture.of(page.screenshot());
        if ("write".equals(System.getProperty("stillwater.docs"))) {
            now.write(stored);
        }
        assertThat(now.difference(PagePicture.read(stored)))
                .as("share of cells of %s that differ; -Dstillwater.docs=write renews it", name)
                .isLessThanOrEqualTo(PagePicture.TOLERANCE);
    }

    @Test
    void pagesLookLikeTheirStoredPictures() throws Exception {
        context.close();
        context =
                browser.newContext(
                        new Browser.NewContextOptions()
                                .setViewportSize(1376, 896)
                                .setLocale("en-US")
                                .setTimezoneId("UTC")
                                .setReducedMotion(ReducedMotion.REDUCE));
        context.setDefaultTimeout(20_000);
        page = context.newPage();
        page.clock().setFixedTime("2026-11-28T12:00:00Z");
        answerFindings();
        answerBenchmarks();
        logIn();
        go("#/findings?finding=" + FINDING);
        await(() -> page.locator(".drawer .evidence .u-legend").count() == 1);
        await(() -> page.locator(".drawer .evidence canvas").count() == 1);
        awaitFrames();
        looksAsStored("regression");
        page.evaluate("document.documentElement.dataset.theme = 'dark'");
        awaitFrames();
        await(() -> page.locator(".drawer .evidence canvas").count() == 1);
        awaitFrames();
        looksAsStored("regression-dark");
        page.evaluate("document.documentElement.dataset.theme = 'light'");
        go("#/benchmarks?of=vm:" + BENCHMARKED + "&cell=random-write%7C1048576");
        await(() -> page.locator(".cell .u-legend").count() == 1);
        await(() -> page.locator(".curves canvas").count() == 2);
        awaitFrames();
        looksAsStored("benchmarks");
        page.evaluate("document.querySelector('.cell canvas').style.visibility = 'hidden'");
        assertThat(
                        PagePicture.of(page.screenshot())
                                .difference(PagePicture.read(PAGES.resolve("benchmarks.png"))))
                .as("without its chart, the page is another one")
                .isGreaterThan(PagePicture.TOLERANCE);
    }

    /** Two frames: what was rendered before is painted. */
    private void awaitFrames() {
        Object _ =
                page.evaluate(
                        "new Promise(done => requestAnimationFrame(() =>"
                                + " requestAnimationFrame(done)))");
    }

    private static int operations() {
        return engine.bean(org.stillwater.command.operation.CommandEngine.class)
                .operations(_ -> true)
                .size();
    }

    @Test
    void theKeyboardIsEnough() {
        logIn();
        page.keyboard().press("?");
        await(() -> page.locator("dialog[open] .keys").count() == 1);
        page.keyboard().press("Escape");
        awaitNoDialog();
        search("web-2 status:down");
        awaitMatches("11 of " + ALL + " VMs");
        page.keyboard().press("Enter");
        page.keyboard().press("ArrowDown");
        page.keyboard().press("Space");
        page.keyboard().press("Shift+ArrowDown");
        awaitSelected(2);
        String active = page.locator(".grid").getAttribute("aria-activedescendant");
        String name = page.locator("#" + active + " .column-name").innerText();
        page.keyboard().press("Enter");
        await(() -> page.locator(".drawer h2").innerText().equals(name));
        page.keyboard().press("Escape");
        await(() -> page.locator(".drawer").count() == 0);

        page.keyboard().press("Control+k");
        page.keyboard().insertText("hosts"); // without a look at the list
        page.keyboard().press("Enter");
        await(() -> page.locator("section[aria-label=Hosts] tbody tr").count() == HOSTS);
        for (String[] each :
                new String[][] {
                    {"e", "Events"}, {"o", "Operations"}, {"c", "Clusters"}, {"m", "Map"}
                }) {
            goByKeys(each[0], each[1]);
        }
        await(() ->
                (boolean)
                        page.evaluate(
                                "[...document.querySelectorAll('canvas')]"
                                        + ".some(each => each.clientHeight > 20)"));
    }

    /**
     * The second key has to follow soon; on a busy machine it may come too late, and both again.
     */
    private void goByKeys(String key, String title) {
        Locator shown = page.locator("section.page[aria-label=" + title + "]");
        await(() -> {
            if (shown.count() == 0) {
                page.keyboard().press("g");
                page.keyboard().press(key);
            }
            return shown.count() == 1;
        });
    }

    @Test
    void aVmShowsItsChartsAndEvents() {
        logIn();
        await(() -> page.locator(".column-cpu polyline[points*=',']").count() > 5);
        picture("console-vms.png");
        search("external- status:up");
        awaitMatches(HOSTS * RUNNING + " of " + ALL + " VMs");
        openFirst("external-");
        await(() -> page.locator(".drawer .u-legend").count() == 4);
        await(() -> page.locator(".drawer .plain-list li").count() > 2);
        await(() -> page.locator(".drawer .devices li").filter(having("↓")).count() > 0);
        await(() -> page.locator(".drawer .devices li").filter(having("video")).count() == 1);
        List<String> addresses = page.locator(".drawer .devices code").allInnerTexts();
        assertThat(addresses).as("defined and counted together").isNotEmpty();
        assertThat(addresses).doesNotHaveDuplicates();
        picture("console-detail.png");
    }

    @Test
    void aVmShowsItsGuestAndSinceWhenItHasItsStatus() {
        answer(
                "/api/v1/vms/[^/]+/beliefs$",
                """
                {'vmId': null, 'vmName': 'a', 'at': null, 'missing': null, 'text': '', 'items': [
                 %s, %s]}
                """
                        .formatted(
                                belief("2026-01-02T03:04:07Z", "poll", "up", "up"),
                                belief("2026-01-02T03:04:05Z", "event", "powering_up", "up")));
        logIn();
        search("external- status:up");
        awaitMatches(HOSTS * RUNNING + " of " + ALL + " VMs");
        openFirst("external-");
        await(() -> page.locator(".drawer .guest").count() == 1);
        assertThat(page.locator(".drawer .guest").innerText()).contains("Host name", "Kernel");
        await(() -> page.locator(".drawer .file-systems li meter").count() > 0);
        assertThat(page.locator(".drawer .file-systems").innerText()).containsPattern("\\d of \\d");
        Locator since = page.locator(".drawer dl div").filter(having("Status since")).locator("dd");
        await(() -> since.count() == 1);
        assertThat(since.innerText()).contains("2026").contains(":05").doesNotContain(":07");
        Locator why = page.locator(".drawer dl div:has(dt:text-is(\"Reason\"))").locator("dd");
        assertThat(why.innerText()).isEqualTo("b");
    }

    @Test
    void aVmThatTheEngineFoundUpHasBeenSoForLonger() {
        answer(
                "/api/v1/vms/[^/]+/beliefs$",
                """
                {'vmId': null, 'vmName': 'a', 'at': null, 'missing': null, 'text': '', 'items': [
                 %s, %s]}
                """
                        .formatted(
                                belief("2026-01-02T03:04:07Z", "poll", "up", "up"),
                                belief("2026-01-02T03:04:05Z", "taken_in", "down", "up")));
        logIn();
        search("external- status:up");
        awaitMatches(HOSTS * RUNNING + " of " + ALL + " VMs");
        openFirst("external-");
        Locator since = page.locator(".drawer dl div").filter(having("Status since")).locator("dd");
        await(() -> since.count() == 1);
        assertThat(since.innerText()).startsWith("before ").contains(":05");
    }

    @Test
    void aVmThatIsDownShowsTheDevicesOfItsDefinition() {
        assertThat(
                        asAdministrator(
                                "POST",
                                "/api/v1/vms",
                                """
                                {"name": "devices-1", "memoryMebibytes": 256, "serialConsole": true,
                                 "interfaces": [{"name": "nic7", "mac": "56:6f:00:00:00:77",
                                  "linked": false}],
                                 "disks": [{"name": "data", "bus": "virtio", "readOnly": true,
                                  "place": {"kind": "block_device", "path": "/dev/mapper/data"}}],
                                 "consoles": [{"protocol": "vnc"}]}
                                """))
                .isEqualTo(202);
        logIn();
        search("name:devices-1");
        openFirst("devices-1");
        Locator devices = page.locator(".drawer .devices li");
        await(() -> devices.count() == 3);
        assertThat(devices.allInnerTexts().get(0))
                .contains("nic7", "56:6f:00:00:00:77", "cable not connected")
                .doesNotContain("unplugged");
        assertThat(devices.allInnerTexts().get(1))
                .contains("data", "virtio", "/dev/mapper/data", "read-only");
        assertThat(devices.allInnerTexts().get(2)).contains("VNC console", "serial console");
        assertThat(asAdministrator("DELETE", "/api/v1/vms/devices-1", "")).isEqualTo(202);
        awaitMatches("0 of " + ALL + " VMs");
    }

    /** Gives an answer another member, the cursor of the next page. */
    private void withNext(String path, String next) {
        context.route(
                Pattern.compile(path),
                route -> {
                    APIResponse answer = route.fetch();
                    route.fulfill(
                            new Route.FulfillOptions()
                                    .setResponse(answer)
                                    .setBody(
                                            answer.text()
                                                    .replaceFirst(
                                                            "\"next\" ?: ?null",
                                                            "\"next\":" + next)));
                });
    }

    @Test
    void olderOperationsVersionsAndEventsAreReached() {
        withNext("/api/v1/operations\\?limit=200$", "\"a\"");
        withNext("/api/v1/vms/[^/]+/configurations\\?limit=20$", "1");
        withNext("/api/v1/events\\?vm=[^&]+&limit=20$", "\"a\"");
        logIn();
        go("#/operations");
        button("^Older operations$").click();
        await(() -> button("^Older operations$").count() == 0);
        go("#/vms?q=name:web-39");
        openFirst("web-39");
        button("^Older versions$").click();
        await(() -> page.locator(".drawer .versions").innerText().contains("first version"));
        page.locator(".drawer a").filter(having("All events")).click();
        await(() -> url().contains("#/events?q=vm%3A" + ActingOnVms.vm(38)));
    }

    @Test
    void eventsOfAHostAreFoundByTheEngine() {
        logIn();
        go("#/events?q=host:host-0001");
        Locator shown = page.locator("section[aria-label=Events] .event");
        await(() -> {
            List<String> texts =
                    JsonMapper.shared()
                            .readTree(
                                    bodyAsAdministrator("/api/v1/events?host=host-0001&limit=1000"))
                            .path("items")
                            .valueStream()
                            .map(event -> event.path("text").asString())
                            .toList();
            List<String> rows = shown.allInnerTexts();
            return !rows.isEmpty()
                    && rows.stream().allMatch(row -> texts.stream().anyMatch(row::contains));
        });
        go("#/events?q=host:nowhere");
        await(() ->
                page.locator("section[aria-label=Events] [role=alert]")
                        .innerText()
                        .contains("nowhere"));
        go("#/events");
        await(() -> page.locator("section[aria-label=Events] [role=alert]").count() == 0);
        await(() -> shown.count() > 0);
    }

    private static String belief(String at, String cause, String before, String status) {
        return """
        {'at': '%s', 'receivedAt': '%s', 'cause': '%s', 'reporterId': null,
         'reporterName': null, 'hostStampMillis': null, 'rule': 'r', 'scenario': null,
         'because': 'b', 'before': '%s', 'status': '%s', 'hostId': null,
         'hostName': null, 'migratingToHostId': null, 'migratingToHostName': null,
         'decided': []}
        """
                .formatted(at, at, cause, before, status);
    }

    @Test
    void aVmIsShownAsAPageOfItsOwn() {
        logIn();
        search("name:web-17");
        awaitMatches("1 of " + ALL + " VMs");
        openFirst("web-17");
        inDrawer("^Whole page$").click();
        await(() -> !page.locator(".grid").isVisible());
        assertThat(page.locator(".drawer").boundingBox().width).isEqualTo(1280);
        await(() -> page.title().startsWith("web-17 "));
        page.reload();
        await(() -> page.locator(".drawer h2").innerText().equals("web-17"));
        assertThat(page.locator(".grid").isVisible()).isFalse();
        page.goBack();
        await(() -> page.locator(".grid").isVisible());
        assertThat(page.locator(".drawer h2").innerText()).isEqualTo("web-17");
        await(() -> page.title().startsWith("VMs "));
        inDrawer("^Whole page$").click();
        await(() -> !page.locator(".grid").isVisible());
        page.locator(".drawer").focus();
        page.keyboard().press("Escape");
        await(() -> page.locator(".grid").isVisible());
        assertThat(page.locator(".drawer").count()).isZero();
        openFirst("web-17");
        assertThat(page.locator(".grid").isVisible()).isTrue();
        inDrawer("^Whole page$").click();
        await(() -> !page.locator(".grid").isVisible());
        search("name:web-18");
        awaitMatches("1 of " + ALL + " VMs");
        await(() -> page.locator(".grid").isVisible());
    }

    @Test
    void chartsFollowTheColoursOfThePage() {
        page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(ColorScheme.LIGHT));
        logIn();
        search("external- status:up");
        awaitMatches(HOSTS * RUNNING + " of " + ALL + " VMs");
        openFirst("external-");
        await(() -> page.locator(".drawer .u-legend").count() == 4);
        String light = colourOfALine();
        page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(ColorScheme.DARK));
        await(() -> !Set.of("", light).contains(colourOfALine()));
        page.locator(".account summary").click();
        page.selectOption("select.theme", "light");
        await(() -> colourOfALine().equals(light));
    }

    /** Of the first line of a chart; empty while the chart is drawn anew. */
    private String colourOfALine() {
        return (String)
                page.evaluate(
                        "(each => each ? getComputedStyle(each).borderTopColor : '')"
                                + "(document.querySelector('.drawer .u-marker'))");
    }

    @Test
    void aVmShowsTheNodesOfItsMemory() {
        context.route(
                Pattern.compile("/api/v1/vms/[^/]+/numa$"),
                route ->
                        route.fulfill(
                                new Route.FulfillOptions()
                                        .setContentType("application/json")
                                        .setBody(
                                                """
                                                {"vmId": null, "reported": true, "items": [
                                                 {"index": 0, "hostNodes": [1]},
                                                 {"index": 1, "hostNodes": [0, 1]}]}
                                                """)));
        logIn();
        openFirst("");
        await(() ->
                page.locator(".drawer .facts")
                        .innerText()
                        .contains("0 on node 1 of the host; 1 on nodes 0, 1 of the host"));
    }

    /** Pictures for the documentation are taken with {@code -Dstillwater.docs=write}. */
    private void picture(String name) {
        if ("write".equals(System.getProperty("stillwater.docs"))) {
            page.screenshot(
                    new Page.ScreenshotOptions()
                            .setPath(IMAGES.resolve(name))
                            .setClip(0, 0, 1280, 560));
        }
    }

    @Test
    void aLostConnectionIsShownAndTheListResumes() throws Exception {
        try (Relay relay = new Relay(URI.create(engine.address()).getPort())) {
            logIn(relay.address(), ADMINISTRATOR, RunningEngine.PASSWORD);
            search("web-40");
            awaitMatches("1 of " + ALL + " VMs");
            relay.cut();
            await(() -> page.locator("#link[data-state=lost]").count() == 1);
            await(() -> page.locator("#link").innerText().contains("Connection lost"));
            assertThat(asAdministrator("POST", "/api/v1/vms/" + ActingOnVms.vm(39) + "/start", ""))
                    .isEqualTo(202);
            relay.mend();
            await(() -> page.locator("#link[data-state=live]").count() == 1);
            await(() -> rows().first().locator(".column-status").innerText().contains("up"));
        }
    }

    @Test
    @Tag("full")
    void aLostNetworkIsShownAndTheListResumesByItsRevision() {
        logIn();
        search("name:web-6");
        awaitMatches("1 of " + ALL + " VMs");
        Object _ =
                page.evaluate(
                        "() => { const link = document.querySelector('#link'); window.states = [];"
                            + " new MutationObserver(() =>"
                            + " states.push(link.dataset.state)).observe(link, {attributes: true,"
                            + " attributeFilter: ['data-state']}); }");
        context.setOffline(true);
        await(() -> (boolean) page.evaluate("states.includes('lost')"));
        assertThat(asAdministrator("POST", "/api/v1/vms/" + ActingOnVms.vm(5) + "/start", ""))
                .isEqualTo(202);
        context.setOffline(false);
        await(() -> page.locator("#link[data-state=live]").count() == 1);
        page.keyboard().press("Enter"); // leaves the field
        search("name:web-6 status:up");
        awaitMatches("1 of " + ALL + " VMs");
        assertThat((String) page.evaluate("states.join()"))
                .as("no snapshot is read again")
                .doesNotContain("loading", "wait");
    }

    /** A worker of the test's own, so that the order turns round between look and selection. */
    @Test
    @Tag("full")
    void aSelectionIsTheVmThatWasOnTheScreen() {
        logIn();
        Object chosen =
                page.evaluate(
                        """
                        async url => {
                          const worker = new Worker(url, { type: 'module' });
                          const waiting = [];
                          worker.onmessage = ({ data }) => {
                            for (const each of [...waiting]) if (each.test(data)) {
                              waiting.splice(waiting.indexOf(each), 1);
                              each.go(data);
                            }
                          };
                          const until = test => new Promise(go => waiting.push({ test, go }));
                          const query = descending => worker.postMessage(
                            { type: 'query', query: { search: 'name:web-*', sort: 'name', descending } });
                          const live = until(each => each.type === 'link' && each.state === 'live');
                          worker.postMessage({ type: 'open', base: new URL('.', document.baseURI).href });
                          await live;
                          const all = until(each => each.type === 'rows' && each.matched === 40 && each.rows[0]);
                          query(false);
                          worker.postMessage({ type: 'window', from: 0, to: 60 });
                          const [first] = (await all).rows;
                          query(true);
                          worker.postMessage({ type: 'select', how: 'only', index: 0, id: first.id });
                          const answer = until(each => each.type === 'answer');
                          worker.postMessage({ type: 'selected', ask: 1 });
                          const { value } = await answer;
                          worker.terminate();
                          return value.length === 1 && value[0] === first.id ? first.name : String(value);
                        }
                        """,
                        page.workers().getFirst().url());
        assertThat(chosen).isEqualTo("web-1");
    }

    @Test
    void markedTextFocusAndScrollSurviveChanges() {
        logIn();
        go("#/vms?sort=name&q=name:external-%20status:up");
        awaitMatches(HOSTS * RUNNING + " of " + ALL + " VMs");
        page.evaluate(
                "() => { const grid = document.querySelector('.grid'); grid.scrollTop = 96;"
                        + " grid.focus(); }");
        await(() -> page.locator("#row-8 .column-age").innerText().endsWith(" s"));
        String name =
                (String)
                        page.evaluate(
                                "() => { const range = document.createRange();"
                                        + " range.selectNodeContents(document.querySelector('#row-8"
                                        + " .column-name')); getSelection().removeAllRanges();"
                                        + " getSelection().addRange(range); return"
                                        + " getSelection().toString(); }");
        assertThat(name).startsWith("external-");
        String before = page.locator(".grid").innerText();
        for (int i = 0; i < 3; i++) { // ages and usage change
            String last = before;
            await(() -> !page.locator(".grid").innerText().equals(last));
            before = page.locator(".grid").innerText();
        }
        assertThat(page.evaluate("getSelection().toString()")).isEqualTo(name);
        assertThat(page.evaluate("document.querySelector('.grid').scrollTop")).isEqualTo(96);
        assertThat(page.evaluate("document.activeElement.className")).isEqualTo("grid");
    }

    @Test
    void aTelephoneIsWideEnough() {
        page.setViewportSize(390, 844);
        logIn();
        assertThat((int) page.evaluate("document.documentElement.scrollWidth")).isEqualTo(390);
        openFirst("");
        await(() -> page.locator(".drawer .facts").count() == 1);
        assertThat((int) page.evaluate("document.documentElement.scrollWidth")).isEqualTo(390);
    }

    @Test
    void theListIsSortedAndEventsAreSavedOnATelephoneAndByKeys() {
        page.setViewportSize(390, 844);
        logIn();
        search("name:web-?");
        awaitMatches("9 of " + ALL + " VMs");
        Locator order = page.getByLabel("Reverse the order");
        assertThat(order.isEnabled()).as("trouble is always first").isFalse();
        page.selectOption(".page.vms .tools select", "name");
        await(() -> page.locator("#row-0").innerText().contains("web-1"));
        order.focus();
        page.keyboard().press("Enter");
        await(() -> page.locator("#row-0").innerText().contains("web-9"));
        assertThat(url()).contains("sort=-name");
        page.keyboard().press("Enter");
        await(() -> page.locator("#row-0").innerText().contains("web-1"));
        go("#/events");
        await(() -> button("^Save as CSV$").isVisible() && button("^Save as JSON$").isVisible());
        assertThat((int) page.evaluate("document.documentElement.scrollWidth")).isEqualTo(390);
    }

    @Test
    void aReaderIsOfferedNoAction() {
        logIn(READER, READER_PASSWORD);
        awaitMatches(ALL + " VMs");
        assertThat(page.locator("button.action").count()).isZero();
        page.navigate(engine.address() + "/#/hosts");
        await(() -> page.locator("section[aria-label=Hosts] tbody tr").count() == HOSTS);
        assertThat(button("^Maintenance$").count()).isZero();
        assertThat(button("^Add a host$").count()).isZero();
        assertThat(page.locator("nav a[href*=settings]").count()).isZero();
        go("#/engine");
        await(() -> page.locator(".engine .queues tbody tr").count() > 2);
        assertThat(page.locator(".recording").count()).isZero();
        go("#/pools");
        await(() -> page.locator("section[aria-label=Pools] table").count() == 1);
        assertThat(button("^Add a pool$").count()).isZero();
        go("#/access");
        await(() -> page.locator(".tokens").count() == 1);
        assertThat(page.locator(".users").count()).isZero();
    }

    @Test
    void anOperatorOfOneVmSeesAndCommandsNoOther() {
        VmId own = ActingOnVms.vm(0);
        logInWith("olga", "\"role\":\"operator\",\"vm\":\"%s\"".formatted(own), 1);
        selectFirst(1, "web-1");
        button("^Start$").first().click();
        await(() -> inDialog("^Start 1$").isEnabled());
        button("^Cancel$").first().click();
        awaitNoDialog();
        assertThat(page.locator("nav a[href*=settings]").count()).isZero();
        assertThat(page.locator("nav a[href*=engine]").count()).isZero();
        go("#/vms?vm=" + ActingOnVms.vm(1));
        await(() -> page.locator(".drawer").innerText().contains("you may not see it"));
        assertThat(start("olga", ActingOnVms.vm(1))).isIn(403, 404);
    }

    @Test
    void anOperatorIsOfferedActionsButNothingOfAdministrators() {
        logInWith("otto", "\"role\":\"operator\"", ALL);
        await(() -> page.locator("button.action").count() > 0);
        assertThat(page.locator("nav a[href*=settings]").count()).isZero();
        go("#/hosts");
        await(() -> page.locator("section[aria-label=Hosts] tbody tr").count() == HOSTS);
        assertThat(button("^Maintenance$").count()).isZero();
        assertThat(button("^Add a host$").count()).isZero();
        page.locator("section[aria-label=Hosts] tbody th button").first().click();
        await(() -> page.locator(".drawer .tags").count() == 1);
        assertThat(inDrawer("^(Add|Refresh|Fence|Confirm reboot)$").count()).isZero();
        go("#/access");
        await(() -> page.locator(".tokens").count() == 1);
        assertThat(page.locator(".users").count()).isZero();
        assertThat(as("otto", READER_PASSWORD, "GET", "/api/v1/users", "")).isEqualTo(403);
    }

    @Test
    void aReaderOfAClusterSeesItsVmsAndCommandsNone() {
        logInWith(
                "clara",
                "\"role\":\"reader\",\"cluster\":\"%s\"".formatted(ClusterId.DEFAULT),
                ALL);
        assertThat(page.locator("button.action").count()).isZero();
        assertThat(page.locator("nav a[href*=engine]").count()).isZero();
        assertThat(start("clara", ActingOnVms.vm(0))).isEqualTo(403);
    }

    private static int start(String user, VmId vm) {
        return as(user, READER_PASSWORD, "POST", "/api/v1/vms/" + vm + "/start", "{}");
    }

    @Test
    void aWallScreenIsFilledWithoutMotion() {
        page.setViewportSize(3840, 2160);
        page.emulateMedia(new Page.EmulateMediaOptions().setReducedMotion(ReducedMotion.REDUCE));
        logIn();
        await(() -> rows().count() > 50);
        assertThat((int) page.evaluate("document.documentElement.scrollWidth")).isEqualTo(3840);
        openFirst("");
        await(() -> page.locator(".drawer .facts").count() == 1);
        assertThat(
                        page.evaluate(
                                "[...document.querySelectorAll('*')].filter(each => {"
                                        + " const { animationName, transitionDuration } ="
                                        + " getComputedStyle(each);"
                                        + " return animationName !== 'none' ||"
                                        + " transitionDuration !== '0s'; }).length"))
                .isEqualTo(0);
        assertThat((int) page.evaluate("document.querySelectorAll('*').length")).isLessThan(3_000);
    }

    @Test
    void anEndedLoginIsRequestedAgainAndTheUserContinues() {
        logIn();
        search("web-3 status:down");
        awaitMatches("11 of " + ALL + " VMs");
        button("Select all 11").click();
        awaitSelected(11);
        // The list's own requests would find it before the click does.
        context.route(Pattern.compile("age=true"), Route::abort);
        context.clearCookies();
        button("^Resume$").first().click();
        await(() -> page.locator("dialog.login[open]").count() == 1);
        page.fill("dialog.login input[type=password]", RunningEngine.PASSWORD);
        page.keyboard().press("Enter");
        await(() -> page.locator("dialog.login").count() == 0);
        await(() -> page.locator("dialog.act[open]").innerText().contains("11 VMs refused"));
        button("^Cancel$").first().click();
        awaitMatches("11 of " + ALL + " VMs");
    }

    private Locator inDialog(String button) {
        return page.locator(
                "dialog[open] button",
                new Page.LocatorOptions().setHasText(Pattern.compile(button)));
    }

    private Locator inDrawer(String button) {
        return page.locator(
                ".drawer button", new Page.LocatorOptions().setHasText(Pattern.compile(button)));
    }

    private void go(String hash) {
        page.navigate(engine.address() + "/" + hash);
    }

    @Test
    void columnsViewsAndCompletedSearchesAreInTheAddress() {
        logIn();
        page.keyboard().press("/");
        page.keyboard().type("sta");
        await(() -> page.locator("#search-completions [role=option]").count() == 2);
        page.keyboard().press("ArrowDown");
        page.keyboard().press("Enter");
        await(() -> page.locator("#search").inputValue().equals("status:"));
        page.keyboard().type("dow");
        await(() ->
                page.locator("#search-completions [role=option]").count() == 1
                        && page.locator("#search-completions").innerText().startsWith("down"));
        page.keyboard().press("ArrowDown");
        page.keyboard().press("Enter");
        await(() -> page.locator("#search").inputValue().equals("status:down "));

        page.locator("summary", new Page.LocatorOptions().setHasText("Columns")).click();
        page.getByLabel("Keep IP at the left edge").click();
        await(() -> url().contains("pin=ip"));
        page.getByLabel("Make IP wider").click();
        await(() -> url().contains("w=ip%3A164"));
        await(() -> page.locator(".grid-head .pinned").last().innerText().contains("IP"));

        page.locator("summary", new Page.LocatorOptions().setHasText("Views")).click();
        page.fill(".views input", "Down");
        button("^Save this view$").click();
        go("#/vms");
        await(() -> page.locator(".grid-head .pinned").count() == 0);
        button("^Down$").first().click();
        await(() -> page.locator("#search").inputValue().equals("status:down "));
        await(() -> url().contains("pin=ip") && url().contains("w=ip%3A164"));
        page.getByLabel("Remove the view Down").click();
    }

    /** Their keys are the largest ones: one that loses a bit stands for the VM beside it. */
    @Test
    void sortedByAddressAVmWithoutOneIsInTheListOnce() {
        logIn();
        for (String order : List.of("ip", "-ip", "changed")) {
            go("#/vms?q=name%3Aweb-%3F&sort=" + order);
            awaitMatches("9 of " + ALL + " VMs");
            await(() -> Set.copyOf(rows().locator(".column-name").allInnerTexts()).size() == 9);
        }
    }

    @Test
    void theSearchHasTheFiltersOfTheInterface() {
        logIn();
        search("name:web-? status:down,up");
        awaitMatches("9 of " + ALL + " VMs");
        page.keyboard().press("Enter");
        search("name:*-1 -external");
        awaitMatches("2 of " + ALL + " VMs");
        page.keyboard().press("Enter");
        search("hots:web");
        await(() -> page.locator("#search-hint").innerText().contains("There is no key hots"));
        page.keyboard().press("Enter");
        search("fe:ed"); // letters of an address are no key
        awaitMatches("0 of " + ALL + " VMs");
        page.keyboard().press("Enter");
        search("is:odd");
        await(() -> page.locator("#search-hint").innerText().contains("not one of is:trouble"));
        page.keyboard().press("Enter");
        search("cpuAbove:200");
        await(() -> page.locator("#search-hint").innerText().contains("a number from 0 to 100"));
        page.keyboard().press("Enter");
        search("ip:10.0.0.0/99");
        await(() ->
                page.locator("#search-hint")
                        .innerText()
                        .contains("networks such as 10.0.3.0/24, not 10.0.0.0/99"));
        page.keyboard().press("Enter");
        search("ip:0.0.0.0/0,10.0.0.0/");
        await(() -> page.locator("#search-hint").innerText().contains("not 10.0.0.0/"));
    }

    @Test
    void filtersThatOnlyTheEngineKnowsSearchTheList() {
        logIn();
        String found = HOSTS * RUNNING + " of " + ALL + " VMs";
        for (String filter :
                List.of("hypervisor:vdsm", "-hypervisor:xapi", "highlyAvailable:false")) {
            search("name:external- " + filter);
            awaitMatches(found);
            page.keyboard().press("Enter");
        }
        search("name:external- -hypervisor:vdsm");
        awaitMatches("0 of " + ALL + " VMs");
        page.keyboard().press("Enter");
        search("networkAbove:100");
        awaitMatches("0 of " + ALL + " VMs");
        page.keyboard().press("Enter");
        search("name:external- networkBelow:100");
        awaitMatches(found);
        page.reload();
        awaitMatches(found);
        search("name:web-? withoutTag:nowhere");
        awaitMatches("9 of " + ALL + " VMs");
        page.keyboard().press("Enter");
    }

    @Test
    void noPageHasAnIdTwice() {
        logIn();
        for (String title : page.locator("header nav a").allInnerTexts()) {
            page.locator("header nav a")
                    .getByText(title, new Locator.GetByTextOptions().setExact(true))
                    .click();
            await(() -> page.title().startsWith(title));
            assertThat(
                            page.evaluate(
                                    "() => [...document.querySelectorAll('[id]')].map(each =>"
                                            + " each.id).filter((id, i, all) => all.indexOf(id) !=="
                                            + " i)"))
                    .as(title)
                    .isEqualTo(List.of());
        }
    }

    @Test
    void tagsOfTheSelectionAreFoundCompletedAndFollowed() {
        logIn();
        search("name:web-?");
        awaitMatches("9 of " + ALL + " VMs");
        button("^Select all 9$").click();
        awaitSelected(9);
        button("^Tags…$").click();
        page.fill("dialog[open] input", "night shift");
        inDialog("^Add$").click();
        await(() -> page.locator("dialog[open]").innerText().contains("Changed: 9 VMs"));
        inDialog("^Close$").click();
        awaitNoDialog();

        go("#/vms?cols=name%2Ctags&sort=tags");
        await(() -> rows().first().locator(".column-tags").innerText().equals("night shift"));
        page.keyboard().press("/");
        page.keyboard().type("tag:nig");
        await(() -> page.locator("#search-completions").innerText().equals("night shift 9"));
        page.keyboard().press("ArrowDown");
        page.keyboard().press("Enter");
        awaitMatches("9 of " + ALL + " VMs");

        String shift = "/tags/night%20shift";
        assertThat(asAdministrator("DELETE", "/api/v1/vms/web-1" + shift, "")).isEqualTo(200);
        awaitMatches("8 of " + ALL + " VMs");
        openFirst("web-");
        await(() -> page.locator(".drawer .tags").innerText().contains("night shift"));
        page.getByLabel("Remove the tag night shift").click();
        awaitMatches("7 of " + ALL + " VMs");
        for (int i = 2; i <= 9; i++) {
            assertThat(asAdministrator("DELETE", "/api/v1/vms/web-" + i + shift, ""))
                    .isIn(200, 404);
        }
        awaitMatches("0 of " + ALL + " VMs");
    }

    @Test
    void aTagOfAPoolHasNoButtonThatRemovesIt() {
        answer(
                "/api/v1/tags$",
                """
                {'items': [
                  {'id': '00000000-0000-0000-0000-00000000000a', 'name': 'lab:prod', 'description': '',
                   'vms': 1, 'hosts': 0, 'source': 'lab'},
                  {'id': '00000000-0000-0000-0000-00000000000b', 'name': 'own', 'description': '',
                   'vms': 1, 'hosts': 0, 'source': null}], 'total': 2}
                """);
        context.route(
                Pattern.compile("/api/v1/vms/[^/?]+$"),
                route -> {
                    APIResponse answer = route.fetch();
                    route.fulfill(
                            new Route.FulfillOptions()
                                    .setResponse(answer)
                                    .setBody(
                                            answer.text()
                                                    .replace(
                                                            "\"tags\":[]",
                                                            "\"tags\":[\"lab:prod\",\"own\"]")));
                });
        logIn();
        search("name:web-17");
        awaitMatches("1 of " + ALL + " VMs");
        openFirst("web-17");
        await(() -> page.getByLabel("Remove the tag own").count() == 1);
        assertThat(page.getByLabel("Remove the tag lab:prod").count()).isZero();
        assertThat(inDrawer("^lab:prod$").getAttribute("title"))
                .contains("The pool lab keeps this tag");
        assertThat(inDrawer("^own$").getAttribute("title")).doesNotContain("pool");
        assertThat(page.locator("#tags-of-one option").count()).isEqualTo(1);
    }

    @Test
    void tagsOfAHostAreInItsRowFoundAndChangedInItsDetails() {
        logIn();
        assertThat(asAdministrator("PUT", "/api/v1/hosts/host-0001/tags/top%20rack", ""))
                .isEqualTo(200);
        go("#/hosts");
        Locator hosts = page.locator("section[aria-label=Hosts] tbody tr");
        Locator field = page.locator("#page-search");
        await(() -> hosts.count() == HOSTS);
        await(() -> hosts.first().innerText().contains("top rack"));
        hosts.first().getByText("top rack").click();
        await(() -> hosts.count() == 1);
        assertThat(field.inputValue()).isEqualTo("tag:\"top rack\"");
        field.fill("tag:rack");
        await(() -> hosts.count() == 0); // a tag is meant as a whole
        field.fill("rack 0001");
        await(() -> hosts.count() == 1);
        hosts.first().getByText("host-0001").click();
        page.fill(".drawer .tags input", "spare parts");
        page.locator(".drawer .tags form button").click();
        await(() -> hosts.first().innerText().contains("spare parts"));
        for (String tag : List.of("top rack", "spare parts")) {
            page.getByLabel("Remove the tag " + tag).click();
        }
        await(() -> hosts.count() == 0); // the search finds it no more
        assertThat(asAdministrator("DELETE", "/api/v1/hosts/host-0001/tags/spare%20parts", ""))
                .isEqualTo(404);
    }

    @Test
    void theVmBehindAnAddressIsFound() {
        logIn();
        search("name:external- status:up");
        String[] addresses = {""};
        await(() -> {
            addresses[0] = page.locator("#row-0 .column-ip").innerText();
            return addresses[0].contains(".");
        });
        String address = addresses[0].split("[ ,]")[0];
        page.keyboard().press("Enter");
        search("ip:" + address);
        openFirst(address);
        await(() -> page.locator(".drawer .facts").innerText().contains(address));
    }

    @Test
    @Tag("full")
    void aVmOfASilentHostShowsWhyItIsLate() {
        logIn();
        search("name:external- status:up");
        openFirst("external-");
        Locator named = page.locator(".drawer .facts div:has(dt:text-is(\"Host\")) dd");
        await(() -> named.innerText().startsWith("host-")); // its id until hosts are read
        HostName host = new HostName(named.innerText());
        page.locator(".drawer .why summary").click();
        await(() -> page.locator(".drawer .why details").innerText().contains("reported"));
        fleet.network().freeze(host);
        try {
            await(() ->
                    page.locator(".drawer .late li").count() > 0
                            && page.locator(".drawer .late").innerText().contains(host.value()));
            // The reason is on hover, wherever the pointer is on the row.
            await(() -> {
                List<String> titles =
                        rows()
                                .filter(
                                        new Locator.FilterOptions()
                                                .setHas(
                                                        page.locator(
                                                                ".column-host:text-is(\""
                                                                        + host.value()
                                                                        + "\")")))
                                .first()
                                .locator(".column-name, .column-status, .column-age")
                                .all()
                                .stream()
                                .map(cell -> String.valueOf(cell.getAttribute("title")))
                                .toList();
                return titles.size() == 3
                        && titles.stream()
                                .allMatch(title ->
                                        title.contains("Data is not current")
                                                && title.contains(host.value()));
            });
            assertThat(page.locator(".drawer .late").innerText())
                    .contains("Fresh when:")
                    .doesNotContainPattern("\\d{4}-\\d\\d-\\d\\dT"); // times are the user's
        } finally {
            fleet.network().unfreeze(host);
            engine.awaitHostsUp(HOSTS);
        }
        await(() -> page.locator(".drawer .late").count() == 0);
    }

    @Test
    @Tag("full")
    void anEventIsFollowedToTheTransitionThatCausedIt() {
        String vm = ActingOnVms.vm(6).toString();
        logIn();
        assertThat(asAdministrator("POST", "/api/v1/vms/" + vm + "/start", "")).isEqualTo(202);
        search("name:web-7 status:up");
        awaitMatches("1 of " + ALL + " VMs");
        go("#/events?q=web-7");
        Locator why =
                page.locator(
                        ".events .event button",
                        new Page.LocatorOptions().setHasText(Pattern.compile("^Why")));
        await(() -> { // an event that arrives between press and release moves the button away
            if (page.locator(".drawer").count() == 0 && why.count() > 0) {
                why.first().click();
            }
            return page.locator(".drawer .belief.chosen").count() == 1;
        });
        assertThat(page.locator(".drawer .belief.chosen").innerText())
                .contains("→", "because", "rule", "received");
        await(() -> url().contains("vm=" + vm) && url().contains("cause="));
        button("^All transitions$").click();
        await(() -> page.locator(".drawer .belief.chosen").count() == 0);
    }

    @Test
    @Tag("full")
    void theEngineShowsItsUseOfTimeAndRecordsItself() throws Exception {
        logIn();
        go("#/engine");
        await(() -> page.locator(".engine .stages tbody tr").count() > 0);
        await(() ->
                page.locator(".engine .quiet").count() == 1
                        && page.locator(".engine .quiet")
                                .innerText()
                                .startsWith("Monitoring executed "));
        await(() -> page.locator(".engine .statements tbody tr").count() > 0);
        await(() -> page.locator(".engine .queues tbody").innerText().contains("vms"));
        await(() -> page.locator(".engine .heat button:not(.age-none)").count() == HOSTS);
        String at = page.locator(".engine-at").innerText();
        await(() -> !page.locator(".engine-at").innerText().equals(at));

        page.locator(".calls > summary").click();
        await(() -> page.locator(".flame canvas").count() == 1);
        await(() -> { // a graph stands still: one of the first samples has too few calls
            boolean isDeep =
                    (boolean)
                            page.locator(".flame canvas")
                                    .evaluate("canvas => canvas.clientHeight > 40");
            if (!isDeep) {
                button("^Take new samples$").click();
            }
            return isDeep;
        });
        page.locator(".flame canvas").focus();
        page.keyboard().press("ArrowDown");
        page.keyboard().press("Enter");
        await(() -> button("^Whole graph$").count() == 1);
        page.keyboard().press("Escape");
        await(() -> button("^Whole graph$").count() == 0);
        await(() -> page.locator(".calls ol li").count() > 0);
        page.locator("section[aria-label=Engine] .tools select").first().selectOption("300");
        await(() -> url().contains("seconds=300"));

        page.locator(".recording button", new Page.LocatorOptions().setHasText("Start")).click();
        await(() -> page.locator(".recording [role=status]").innerText().startsWith("Recording:"));
        page.locator(".recording button", new Page.LocatorOptions().setHasText("Stop")).click();
        await(() -> page.locator(".recording a").count() == 1);
        Download file = page.waitForDownload(() -> page.locator(".recording a").click());
        assertThat(Files.readAllBytes(file.path())).startsWith('F', 'L', 'R', 0);

        page.locator(".engine .heat button").first().click();
        await(() -> page.locator(".drawer .fingerprint").count() >= 1);
    }

    @Test
    @Tag("full")
    void aPoolIsAddedChangedAndDeleted() {
        logIn();
        go("#/pools");
        button("^Add a pool$").click();
        page.fill("dialog[open] input[name=name]", "desks");
        page.fill("dialog[open] input[name=size]", "2");
        page.fill("dialog[open] input[name=vm]", "web-20");
        inDialog("^Add$").click();
        await(() -> page.locator("dialog[open] .chosen-vms").innerText().contains("web-20"));
        page.fill("dialog[open] input[name=vm]", "web-nothing");
        page.keyboard().press("Enter");
        await(() -> page.locator("dialog[open] [role=alert]").count() == 1);
        page.fill("dialog[open] input[name=vm]", "web-21");
        page.keyboard().press("Enter");
        await(() -> page.locator("dialog[open] .chosen-vms li").count() == 2);
        inDialog("^Save$").click();
        Locator pools = page.locator("section[aria-label=Pools] tbody");
        await(() -> pools.innerText().contains("2 of 2, 0 taken"));
        button("^Edit$").click();
        page.fill("dialog[open] input[name=size]", "3");
        inDialog("^Save$").click();
        await(() -> pools.innerText().contains("2 of 3, 0 taken"));
        assertThat(pools.innerText()).contains("web-20", "web-21");
        pools.locator("button", new Locator.LocatorOptions().setHasText("Delete")).click();
        inDialog("^Delete$").click();
        await(() -> page.locator("section[aria-label=Pools] tbody tr").count() == 0);
    }

    @Test
    @Tag("full")
    void anAffinityGroupIsAddedChangedAndDeleted() {
        logIn();
        search("name:web-3? status:down");
        selectFirst(2, "web-3");
        goByKeys("a", "Affinity");
        button("^Add a group$").click();
        page.fill("dialog[open] input[name=name]", "apart");
        page.selectOption("dialog[open] select[name=positive]", "false");
        inDialog("^Add the 2 selected$").click();
        await(() -> page.locator("dialog[open] .chosen-vms li").count() == 2);
        inDialog("^Save$").click();
        Locator groups = page.locator("section[aria-label=Affinity] tbody");
        await(() -> groups.innerText().contains("on different hosts, preferred"));
        button("^Edit$").click();
        await(() -> page.locator("dialog[open] .chosen-vms li").count() == 2);
        page.check("dialog[open] input[name=enforcing]");
        inDialog("^Save$").click();
        await(() -> groups.innerText().contains("on different hosts, enforced"));
        groups.locator("button", new Locator.LocatorOptions().setHasText("Delete")).click();
        inDialog("^Delete$").click();
        await(() -> page.locator("section[aria-label=Affinity] tbody tr").count() == 0);
    }

    @Test
    void fiftyAreStartedThreeAreRefusedAndALoginThatEndsLosesNothing() {
        logIn();
        search("name:job-");
        awaitMatches(JOBS + " of " + ALL + " VMs");
        button("Select all " + JOBS).click();
        awaitSelected(JOBS);
        search("name:external- status:up");
        selectFirst(3, "external-", JOBS + 3);
        button("^Start$").first().click();
        await(() -> page.locator("dialog[open]").innerText().contains("3 VMs refused"));
        await(() -> page.locator("dialog[open] .refusals").innerText().contains("external-"));
        inDialog("^Start 47$").click();
        await(() -> page.locator(".job").count() == 1);
        openFirst("external-");
        await(() -> page.locator(".drawer .facts").count() == 1);
        context.clearCookies(); // the next request gets 401
        await(() -> page.locator("dialog.login[open]").count() == 1);
        page.fill("dialog.login input[type=password]", RunningEngine.PASSWORD);
        page.keyboard().press("Enter");
        await(() -> page.locator("dialog.login").count() == 0);
        await(() -> page.locator(".job").innerText().contains("47 of 47 ended"));
        // The code for charts is fetched with the first of them, and may have been refused.
        await(() -> page.locator(".drawer .u-legend").count() == 4);
        button("^Dismiss$").click();
    }

    /** Parts of the page need a login, too; one that came with the next request is too late. */
    @Test
    void aChartIsDrawnAfterARefusedPart() {
        List<String> refused = new CopyOnWriteArrayList<>();
        context.route(
                Pattern.compile("/console/chart-"),
                route -> {
                    if (refused.isEmpty()) {
                        refused.add(route.request().url());
                        route.fulfill(new Route.FulfillOptions().setStatus(401));
                    } else {
                        route.resume();
                    }
                });
        logIn();
        search("name:external- status:up");
        openFirst("external-");
        await(() -> page.locator(".drawer .u-legend").count() == 4);
        assertThat(refused).hasSize(1);
    }

    @Test
    void theRowShowsAnOrderBeforeTheEngineAnswers() {
        logIn();
        search("name:web-9");
        awaitMatches("1 of " + ALL + " VMs");
        selectFirst(1, "web-9");
        button("^Start$").first().click();
        await(() -> inDialog("^Start 1$").isEnabled());
        List<Route> held = new ArrayList<>();
        context.route(
                Pattern.compile("vms:batch"),
                route -> {
                    if (route.request().postData().contains("dryRun")) {
                        route.resume();
                    } else {
                        held.add(route);
                    }
                });
        inDialog("^Start 1$").click();
        Locator status = rows().first().locator(".column-status");
        await(() -> status.innerText().equals("down, starting") && held.size() == 1);
        awaitNoDialog(); // which would take the next click of the user
        search("name:web-1*");
        awaitMatches("11 of " + ALL + " VMs");
        page.keyboard().press("Enter"); // leaves the field
        search("name:web-9");
        awaitMatches("1 of " + ALL + " VMs");
        held.getFirst().fulfill(new Route.FulfillOptions().setStatus(503));
        await(() -> page.locator("dialog[open] [role=alert]").count() == 1);
        await(() -> status.innerText().equals("down"));
        await(() -> inDialog("^Start 1$").isEnabled());
        inDialog("^Start 1$").click();
        await(() -> status.isVisible() && held.size() == 2); // a look takes events in
        held.getLast().resume();
        await(() -> status.innerText().equals("up"));
        button("^Dismiss$").click();
    }

    /** The row does not wait for the worker, which may be busy with the changes of a fleet. */
    @Test
    void theRowShowsAnOrderWhileTheWorkerIsBusy() {
        logIn();
        search("name:web-25");
        awaitMatches("1 of " + ALL + " VMs");
        selectFirst(1, "web-25");
        button("^Start$").first().click();
        await(() -> inDialog("^Start 1$").isEnabled());
        List<Route> held = new ArrayList<>();
        context.route(Pattern.compile("vms:batch"), held::add);
        Object _ =
                page.workers()
                        .getFirst()
                        .evaluate(
                                """
                                () => {
                                  setTimeout(() => {
                                    const end = performance.now() + 5000;
                                    while (performance.now() < end);
                                    self.wasBusyUntil = Date.now();
                                  }, 0);
                                }
                                """);
        Object shown =
                page.evaluate(
                        """
                        () => new Promise(done => {
                          [...document.querySelectorAll('dialog[open] button')].find(each => each.textContent === 'Start 1').click();
                          const text = () => document.querySelector('#row-0 .column-status').textContent;
                          requestAnimationFrame(() => requestAnimationFrame(() => done(text() + ' ' + Date.now())));
                        })
                        """);
        long busyUntil =
                ((Number) page.workers().getFirst().evaluate("() => self.wasBusyUntil"))
                        .longValue();
        String[] words = ("" + shown).split(" ");
        assertThat(words).hasSize(3).startsWith("down,", "starting");
        assertThat(Long.parseLong(words[2])).isLessThan(busyUntil);
        await(() -> held.size() == 1);
        held.getFirst().fulfill(new Route.FulfillOptions().setStatus(503));
        await(() -> page.locator("dialog[open] [role=alert]").count() == 1);
        assertThat(rows().first().locator(".column-status").innerText()).isEqualTo("down");
    }

    @Test
    void allThatAreFoundAreMigratedInFourSteps() {
        int found = HOSTS * RUNNING;
        logIn();
        search("name:external- status:up");
        awaitMatches(found + " of " + ALL + " VMs");
        button("Select all " + found).click();
        awaitSelected(found);
        button("^Migrate$").first().click();
        await(() -> inDialog("^Migrate " + found + "$").isEnabled());
        inDialog("^Migrate " + found + "$").click();
        String ended = "%d of %d ended".formatted(found, found);
        await(() -> page.locator(".job").innerText().contains(ended));
        assertThat(page.locator(".job").innerText()).doesNotContain("failed");
        button("^Dismiss$").click();
    }

    @Test
    void eventsAreExported() throws IOException {
        logIn();
        go("#/events");
        Locator shown = page.locator("section[aria-label=Events]");
        await(() -> shown.locator(".event").count() > 0);
        Download file = page.waitForDownload(() -> button("^Save as JSON$").click());
        assertThat(file.suggestedFilename()).isEqualTo("events.json");
        var events = JsonMapper.shared().readTree(file.path()).path("items");
        assertThat(events.size()).isPositive();
        String word = events.path(0).path("text").asString().split(" ", 3)[1];
        // A file has what the page shows: events without the word are not in it.
        go("#/events?q=" + word);
        Download fewer = page.waitForDownload(() -> button("^Save as JSON$").click());
        var found = JsonMapper.shared().readTree(fewer.path()).path("items");
        assertThat(found.size()).isPositive();
        for (var event : found) {
            assertThat(event.toString()).containsIgnoringCase(word);
        }
        go("#/events?q=no-event-has-this-word");
        Download none = page.waitForDownload(() -> button("^Save as JSON$").click());
        assertThat(JsonMapper.shared().readTree(none.path()).path("items").size()).isZero();
    }

    @Test
    void eventsAreExportedAsLinesThatNoSpreadsheetTakesForFormulas() throws IOException {
        logIn();
        go("#/events?q=saved");
        context.route(
                Pattern.compile("/api/v1/events\\?limit=1000"),
                route ->
                        route.fulfill(
                                new Route.FulfillOptions()
                                        .setContentType("application/json")
                                        .setBody(
                                                """
                                                {"next": null, "items": [
                                                 {"id": 2, "at": "2026-11-21T12:00:00Z", "severity": "error",
                                                  "event": "VM_DOWN", "text": "It said \\"saved\\",\\nthen ended.",
                                                  "vmName": "=HYPERLINK(1)", "vmId": null,
                                                  "hostName": "-1", "hostId": null},
                                                 {"id": 1, "at": "2026-11-21T11:00:00Z", "severity": "normal",
                                                  "event": "VM_UP", "text": "other", "vmName": "b",
                                                  "vmId": null, "hostName": null, "hostId": null}]}
                                                """)));
        Download file = page.waitForDownload(() -> button("^Save as CSV$").click());
        assertThat(file.suggestedFilename()).isEqualTo("events.csv");
        assertThat(Files.readString(file.path()))
                .isEqualTo(
                        "at,severity,event,text,vmName,vmId,hostName,hostId\r\n"
                                + "2026-11-21T12:00:00Z,error,VM_DOWN,\"It said \"\"saved\"\",\n"
                                + "then ended.\",'=HYPERLINK(1),,'-1,\r\n");
    }

    @Test
    void aVmIsEditedItsVersionsDifferAndItIsDeleted() {
        assertThat(
                        asAdministrator(
                                "POST",
                                "/api/v1/vms",
                                "{\"name\":\"edited-1\",\"memoryMebibytes\":256}"))
                .isEqualTo(202);
        logIn();
        search("name:edited-1");
        openFirst("edited-1");
        await(() -> inDrawer("^Edit$").count() == 1);
        inDrawer("^Edit$").click();
        page.fill("dialog[open] input[name=memoryMebibytes]", "512");
        page.fill("dialog[open] input[name=description]", "of a test");
        inDialog("^Save$").click();
        awaitNoDialog();
        await(() -> page.locator(".versions").innerText().contains("memoryMebibytes: 256 → 512"));
        inDrawer("^Delete$").click();
        await(() -> inDialog("^Delete 1$").isEnabled());
        inDialog("^Delete 1$").click();
        awaitMatches("0 of " + ALL + " VMs");
        button("^Dismiss$").click();
    }

    @Test
    void aConsoleOpensWithATicketAndHistoriesAreCompared() {
        logIn();
        search("name:external- status:up");
        openFirst("external-");
        await(() -> inDrawer("^Console$").count() == 1);
        inDrawer("^Console$").click();
        inDialog("^Get a ticket( for VNC)?$").click();
        await(() -> page.locator("dialog[open] .secret").count() == 1);
        assertThat(page.locator("dialog[open] .secret").innerText()).hasSizeGreaterThan(5);
        page.keyboard().press("Escape");
        awaitNoDialog();
        page.keyboard().press("Escape");
        await(() -> page.locator(".drawer").count() == 0);

        selectFirst(2, "external-");
        button("^Compare$").click();
        await(() -> page.locator("section[aria-label=Compare] .u-legend .u-series").count() == 3);
        page.locator("section[aria-label=Compare] select")
                .first()
                .selectOption("networkReceiveRate");
        await(() -> page.locator(".u-title").innerText().contains("Network received"));
        await(() -> { // the chart marks with its next frame, and may be another one after an answer
            if (url().contains("zoom=")) {
                return true; // the last mark; a period without data has no chart
            }
            BoundingBox box = boxOfTheOnly(".u-over");
            if (box == null) {
                return false; // an answer replaces the chart
            }
            page.mouse().move(box.x + box.width / 4, box.y + 20);
            page.mouse().down();
            page.mouse().move(box.x + box.width / 3, box.y + 30);
            page.mouse().move(box.x + box.width / 2, box.y + 40);
            Object _ =
                    page.evaluate(
                            "new Promise(done => requestAnimationFrame(() =>"
                                    + " requestAnimationFrame(done)))");
            page.mouse().up();
            return false; // the address follows soon
        });
        button("^Whole period$").click();
        await(() -> !url().contains("zoom="));
    }

    @Test
    void aHostIsTestedBeforeItIsAdded() {
        var there = engine.monitoring().fleet().hosts().getFirst().state().definition();
        logIn();
        go("#/hosts");
        button("^Add a host$").click();
        page.fill("dialog[open] input[name=name]", "twin");
        page.fill("dialog[open] input[name=address]", there.address());
        page.fill("dialog[open] input[name=port]", "" + there.port());
        inDialog("^Test connection$").click();
        await(() ->
                page.locator("dialog[open]").innerText().contains("The agent of the host answers"));
        assertThat(page.locator("dialog[open] .fingerprint").first().innerText())
                .matches("[0-9A-Fa-f:]{64,}");
        assertThat(inDialog("^Add host$").isEnabled()).isFalse();
        page.check("dialog[open] input[name=compared]");
        inDialog("^Add host$").click();
        await(() -> page.locator("dialog[open]").innerText().contains("already"));
        inDialog("^Cancel$").click();
    }

    @Test
    void aHostIsDrainedByAPlanThatIsLive() {
        logIn();
        go("#/hosts");
        Locator names = page.locator("section[aria-label=Hosts] tbody th");
        await(() -> names.count() == HOSTS);
        // By its name: hosts in trouble come first.
        Locator row =
                page.locator(
                        "section[aria-label=Hosts] tbody tr:has(th button:text-is(\"%s\"))"
                                .formatted(names.last().innerText()));
        await(() -> row.locator(".badge").innerText().equals("up"));
        row.locator("th button").click();
        await(() -> page.locator(".drawer .fingerprint").count() >= 1);
        row.locator("button", new Locator.LocatorOptions().setHasText("Maintenance")).click();
        inDialog("^Maintenance$").click();
        await(() -> page.locator(".drawer .plan").innerText().contains("→"));
        await(() -> page.locator(".drawer header .badge").innerText().equals("maintenance"));
        inDrawer("^Activate$").click();
        await(() -> page.locator(".drawer header .badge").innerText().equals("up"));
    }

    @Test
    void aHostOfAPoolIsShownAsSuchAndLeavesFencingToItsPool() {
        logIn();
        context.route(
                Pattern.compile("/api/v1/(vms|hosts)/[^/?]+$|/api/v1/hosts\\?"),
                route -> {
                    APIResponse answer = route.fetch();
                    route.fulfill(
                            new Route.FulfillOptions()
                                    .setResponse(answer)
                                    .setBody(
                                            answer.text()
                                                    .replace(
                                                            "\"hypervisor\":\"vdsm\"",
                                                            "\"hypervisor\":\"xapi\"")));
                });
        go("#/hosts?q=xapi");
        Locator hosts = page.locator("section[aria-label=Hosts] tbody tr");
        await(() -> hosts.count() == HOSTS && hosts.first().innerText().contains("XAPI"));
        hosts.first().locator("th button").click();
        await(() -> page.locator(".drawer .facts").first().innerText().contains("XAPI"));
        assertThat(inDrawer("^Refresh$").count()).isEqualTo(1);
        assertThat(inDrawer("^(Fence|Confirm reboot|Add a fence agent)$").count()).isZero();
        assertThat(page.locator(".drawer").innerText()).contains("The pool itself fences");
        go("#/vms");
        openFirst("");
        await(() -> page.locator(".drawer .facts").innerText().contains("XAPI"));
    }

    @Test
    void aFoundVmWhoseDefinitionLacksPartsNamesThemAndMayRunWithoutThem() {
        String path = "/api/v1/vms/web-21/definition";
        String definition = bodyAsAdministrator(path);
        String lacking =
                definition.substring(0, definition.lastIndexOf('}'))
                        + ",\"foundOnHost\":{\"followed\":false,\"missing\":[\"the disk vdb\",\"the"
                        + " host device 0000:03:00.0\"],\"changed\":[]}}";
        assertThat(asAdministrator("PUT", path, lacking)).isEqualTo(202);
        RunningEngine.await(
                () -> bodyAsAdministrator(path).contains("the disk vdb"),
                () -> bodyAsAdministrator(path));
        logIn();
        search("name:web-21");
        awaitMatches("1 of " + ALL + " VMs");
        selectFirst(1, "web-21");
        button("^Start$").first().click();
        Locator parts = page.locator("dialog[open] .parts li");
        await(() -> parts.count() == 2);
        assertThat(parts.allInnerTexts())
                .containsExactly("the disk vdb", "the host device 0000:03:00.0");
        inDialog("^Let web-21 run without them$").click();
        await(() -> parts.count() == 0 && inDialog("^Start 1$").isEnabled());
        assertThat(bodyAsAdministrator(path)).doesNotContain("foundOnHost");
        page.keyboard().press("Escape");
        awaitNoDialog();
    }

    @Test
    void aCheckWithoutAnAnswerReportsThatNothingBegan() {
        logIn();
        search("name:web-9");
        awaitMatches("1 of " + ALL + " VMs");
        selectFirst(1, "web-9");
        context.route(Pattern.compile("/api/v1/vms:batch"), Route::abort);
        button("^Start$").click();
        await(() -> page.locator("dialog[open]").innerText().contains("No operation has begun"));
        assertThat(inDialog("^Start 0$").isEnabled()).isFalse();
    }

    @Test
    void aHostOfAnUnknownAuthorityIsNotAddedByAConfirmation() throws Exception {
        try (SimulatedFleet other =
                SimulatedFleet.startOfOwnAuthority(
                        folder.resolve("stranger"), WorldSettings.of(54, 1, 0))) {
            InetSocketAddress stranger = other.network().hosts().getFirst().address();
            logIn();
            go("#/hosts");
            button("^Add a host$").click();
            page.fill("dialog[open] input[name=name]", "stranger");
            page.fill("dialog[open] input[name=address]", stranger.getHostString());
            page.fill("dialog[open] input[name=port]", "" + stranger.getPort());
            inDialog("^Test connection$").click();
            await(() ->
                    page.locator("dialog[open]").innerText().contains("stillwater.wire.tls.trust"));
            assertThat(page.locator("dialog[open] .fingerprint").count()).isPositive();
            assertThat(page.locator("dialog[open] input[name=compared]").count()).isZero();
            assertThat(inDialog("^Add host$").isEnabled()).isFalse();
            inDialog("^Cancel$").click();
        }
    }

    @Test
    void aHostIsFencedAfterAConfirmationAndTheResultIsShown() {
        logIn();
        go("#/hosts");
        page.locator("section[aria-label=Hosts] tbody th button").first().click();
        inDrawer("^Fence$").click();
        await(() -> page.locator("dialog[open]").innerText().contains("by its fence agents"));
        inDialog("^Cancel$").click();
        assertThat(page.locator(".drawer").innerText()).doesNotContain("Fence:");
        inDrawer("^Fence$").click();
        inDialog("^Fence$").click();
        await(() -> page.locator(".drawer").innerText().contains("Fence: it has no fence agent"));
    }

    @Test
    void fenceAgentsOfAHostAreAddedTestedOrderedChangedAndDeleted() {
        logIn();
        go("#/hosts");
        page.locator("section[aria-label=Hosts] tbody th button").nth(1).click();
        Locator agents = page.locator(".fence-agents");
        await(() -> agents.innerText().contains("no fence agent"));
        button("^Add a fence agent$").click();
        page.fill("dialog[open] input[name=type]", "ack_manual");
        page.fill("dialog[open] input[name=address]", "192.0.2.8");
        page.fill("dialog[open] input[name=user]", "fence");
        page.fill("dialog[open] input[name=password]", "s3cret of a board");
        page.fill("dialog[open] textarea[name=options]", "lanplus=1\nhots=2");
        inDialog("^Save$").click();
        awaitRefusal("type", "does not switch the power");
        page.fill("dialog[open] input[name=type]", "ipmilan");
        inDialog("^Test$").click();
        awaitRefusal("options", "takes no option hots");
        page.fill("dialog[open] textarea[name=options]", "lanplus=1");
        inDialog("^Test$").click();
        await(() -> page.locator("dialog[open] [role=status]").innerText().contains("dry run"));
        assertThat(agents.innerText()).contains("no fence agent");
        inDialog("^Save$").click();
        awaitNoDialog();
        await(() ->
                agents.locator("li").first().innerText().contains("fence_ipmilan at 192.0.2.8"));
        assertThat(agents.innerText()).contains("password stored", "lanplus=1");
        assertThat(page.content()).doesNotContain("s3cret of a board");

        button("^Add a fence agent$").click();
        page.fill("dialog[open] input[name=type]", "apc_snmp");
        page.fill("dialog[open] input[name=address]", "192.0.2.9");
        page.fill("dialog[open] textarea[name=options]", "plug=4\ncommunity=not public");
        inDialog("^Save$").click();
        awaitRefusal("options", "community");
        page.fill("dialog[open] textarea[name=options]", "plug=4\ncommunity=hidden");
        inDialog("^Save$").click();
        awaitNoDialog();
        await(() -> agents.locator("li").count() == 2);
        assertThat(agents.innerText()).contains("plug=4, community=…").doesNotContain("hidden");
        agents.locator("button", named("^Try earlier$")).click();
        await(() -> agents.locator("li").first().innerText().contains("apc_snmp"));

        agents.locator("li").nth(1).locator("button", named("^Edit$")).click();
        page.fill("dialog[open] input[name=address]", "192.0.2.10");
        inDialog("^Save$").click();
        awaitRefusal("password", "not known for this agent");
        page.fill("dialog[open] input[name=address]", "192.0.2.8");
        page.fill("dialog[open] input[name=port]", "624");
        inDialog("^Save$").click();
        awaitNoDialog();
        await(() -> agents.locator("li").nth(1).innerText().contains("192.0.2.8:624"));
        assertThat(agents.locator("li").nth(1).innerText()).contains("password stored");

        agents.locator("li").first().locator("button", named("^Delete$")).click();
        inDialog("^Delete$").click();
        await(() -> agents.locator("li").count() == 1);
        agents.locator("li").first().locator("button", named("^Delete$")).click();
        inDialog("^Delete$").click();
        await(() -> agents.innerText().contains("no fence agent"));
    }

    private void awaitRefusal(String field, String why) {
        await(() -> page.locator("dialog[open] #" + field + "-problem").count() == 1);
        assertThat(page.locator("dialog[open] #" + field + "-problem").innerText()).contains(why);
        assertThat(page.locator("dialog[open] [aria-invalid=true]").getAttribute("name"))
                .isEqualTo(field);
    }

    private static Locator.LocatorOptions named(String name) {
        return new Locator.LocatorOptions().setHasText(Pattern.compile(name));
    }

    @Test
    void rolesOfAUserAreChangedAndLimitedAndTheOpenPageOfTheUserFollows() {
        logInWith("rosa", "\"role\":\"reader\"", ALL);
        Page own = page;
        assertThat(own.locator("button.action").count()).isZero();
        try (BrowserContext other =
                browser.newContext(new Browser.NewContextOptions().setViewportSize(1280, 800))) {
            page = other.newPage();
            logIn();
            go("#/access");
            rolesOf("rosa");
            page.selectOption("dialog[open] select[name=role]", "operator");
            page.selectOption("dialog[open] select[name=scope]", "vm");
            page.fill("dialog[open] input[name=vm]", "no-such-vm");
            inDialog("^Save$").click();
            await(() ->
                    page.locator("dialog[open]")
                            .innerText()
                            .contains("There is no VM no-such-vm."));
            page.fill("dialog[open] input[name=vm]", "web-2");
            inDialog("^Save$").click();
            awaitNoDialog();
            await(() -> userRow("rosa").innerText().contains("operator of VM web-2"));
            page = own;
            await(() -> own.locator("[role=status].notice").count() == 1);
            await(() ->
                    own.locator("[role=status].notice")
                            .innerText()
                            .contains("operator of VM web-2"));
            awaitMatches("1 VM");
            await(() -> own.locator("button.action").count() > 0);

            page = other.pages().getFirst();
            rolesOf("rosa");
            page.selectOption("dialog[open] select[name=scope]", "cluster");
            inDialog("^Add a role$").click();
            page.locator("dialog[open] select[name=role]").nth(1).selectOption("scraper");
            inDialog("^Save$").click();
            awaitNoDialog();
            await(() -> userRow("rosa").innerText().contains("operator of cluster Default"));
            assertThat(userRow("rosa").innerText()).contains("scraper");
            page = own;
            awaitMatches(ALL + " VMs");

            page = other.pages().getFirst();
            rolesOf("rosa");
            inDialog("^×$").last().click();
            inDialog("^×$").last().click();
            await(() -> page.locator("dialog[open]").innerText().contains("no role"));
            inDialog("^Save$").click();
            awaitNoDialog();
            page = own;
            await(() -> own.locator(".grid-row:not([hidden])").count() == 0);
            await(() -> own.locator("body").innerText().contains("rosa@internal has no role"));
            assertThat(own.locator("button.action").count()).isZero();

            page = other.pages().getFirst();
            rolesOf(ADMINISTRATOR);
            assertThat(page.locator("dialog[open]").innerText()).contains("your own roles");
            page.selectOption("dialog[open] select[name=role]", "reader");
            inDialog("^Save$").click();
            await(() ->
                    page.locator("dialog[open]").innerText().contains("no enabled administrator"));
            page = own;
        }
    }

    @Test
    void eventsThatAUserMayNoLongerReadLeaveThePage() {
        logInWith("vera", "\"role\":\"reader\"", ALL);
        go("#/events");
        Locator events = page.locator(".events .event");
        await(() -> events.count() > 1 && events.filter(having("host-0001")).count() > 0);
        Page own = page;
        try (BrowserContext other =
                browser.newContext(new Browser.NewContextOptions().setViewportSize(1280, 800))) {
            page = other.newPage();
            logIn();
            go("#/access");
            rolesOf("vera");
            page.selectOption("dialog[open] select[name=scope]", "vm");
            page.fill("dialog[open] input[name=vm]", "web-2");
            inDialog("^Save$").click();
            awaitNoDialog();
        }
        page = own;
        await(() -> own.locator("[role=status].notice").count() == 1);
        await(() -> events.filter(having("host-0001")).count() == 0);
    }

    private Locator userRow(String name) {
        return page.locator(".users tbody tr", new Page.LocatorOptions().setHasText(name));
    }

    private void rolesOf(String name) {
        await(() -> userRow(name).count() == 1);
        userRow(name).locator("button", named("^Roles$")).click();
        await(() -> page.locator("dialog[open] .grants select[name=role]").count() > 0);
    }

    @Test
    void anAdministratorOfAClusterIsNotOfferedGlobalActions() {
        logInWith(
                "carl",
                "\"role\":\"administrator\",\"cluster\":\"%s\"".formatted(ClusterId.DEFAULT),
                ALL);
        await(() -> page.locator("button.action").count() > 0);
        assertThat(page.locator("nav a[href*=settings]").count()).isZero();
        go("#/hosts");
        await(() -> page.locator("section[aria-label=Hosts] tbody tr").count() == HOSTS);
        assertThat(button("^(Maintenance|Add a host)$").count()).isZero();
        assertThat(as("carl", READER_PASSWORD, "GET", "/api/v1/users", "")).isEqualTo(403);
        go("#/access");
        await(() -> page.locator(".tokens").count() == 1);
        assertThat(page.locator(".users").count()).isZero();
        button("^Make a token$").click();
        assertThat(page.locator("dialog[open] select").first().locator("option").allInnerTexts())
                .containsExactly("administrator", "operator", "reader", "scraper", "benchmarker");
    }

    @Test
    void aBatchIsFollowedInEveryTabOfItsUserByOneStream() {
        List<String> streams = new CopyOnWriteArrayList<>();
        context.onRequest(request -> {
            if (request.url().contains("/batches/") && request.url().endsWith("/events")) {
                streams.add(request.url());
            }
        });
        logIn();
        Page first = page;
        Page second = context.newPage();
        page = second;
        page.navigate(engine.address() + "/");
        await(() -> page.locator("#link[data-state=live]").count() == 1);
        await(() -> page.locator(".who").count() == 1);
        page = first;
        first.bringToFront();
        search("name:external- status:up");
        selectFirst(2, "external-");
        button("^Reboot$").first().click();
        inDialog("^Reboot 2$").click();
        await(() -> first.locator(".job").innerText().contains("2 of 2 ended"));
        await(() -> second.locator(".job").innerText().contains("2 of 2 ended"));
        await(() -> second.locator(".job button", matching("^Dismiss$")).count() == 1);
        assertThat(streams).as("a batch has one stream for all tabs").hasSize(1);

        second.reload();
        await(() -> second.locator(".job").innerText().contains("2 of 2 ended"));
        second.locator(".job button", matching("^Dismiss$")).click();
        await(() -> first.locator(".job").count() == 0);
        first.reload();
        await(() -> first.locator(".who").count() == 1);
        assertThat(first.locator(".job").count()).isZero();
        second.close();
    }

    private static Page.LocatorOptions matching(String name) {
        return new Page.LocatorOptions().setHasText(Pattern.compile(name));
    }

    @Test
    void batchesOfOneUserAreNotShownToTheNextUserOfTheBrowser() {
        logIn();
        search("name:external- status:up");
        selectFirst(1, "external-");
        button("^Reboot$").first().click();
        inDialog("^Reboot 1$").click();
        await(() -> page.locator(".job").innerText().contains("1 of 1 ended"));
        context.clearCookies();
        logIn(READER, READER_PASSWORD);
        awaitMatches(ALL + " VMs");
        assertThat(page.locator(".job").count()).isZero();
        context.clearCookies();
        logIn();
        await(() -> page.locator(".job").count() == 1);
        button("^Dismiss$").click();
    }

    @Test
    void theHeaderHasOneLineAndItsMenuWorksByKeys() {
        logIn();
        assertThat(page.locator(".top").boundingBox().height).isLessThan(56);
        assertThat(
                        (int)
                                page.evaluate(
                                        "new Set([...document.querySelectorAll('.top nav"
                                                + " a')].map(each => each.offsetTop)).size"))
                .isEqualTo(1);
        assertThat(page.locator(".top nav a").count()).isEqualTo(14);
        assertThat((int) page.evaluate("document.documentElement.scrollWidth")).isEqualTo(1280);
        page.locator(".account summary").focus();
        page.keyboard().press("Enter");
        page.keyboard().press("Tab");
        page.keyboard().press("Tab");
        page.keyboard().press("Tab");
        page.keyboard().press("ArrowDown");
        page.keyboard().press("ArrowDown");
        await(() -> page.locator("[data-theme=dark]").count() == 1);
        page.keyboard().press("Tab");
        page.keyboard().press("Enter");
        await(() -> page.url().endsWith("/login") || page.locator("#username").count() == 1);
    }

    @Test
    void theTourAndTheListOfAllPagesAreReachedWithoutKeys() {
        page.setViewportSize(390, 844);
        logIn();
        page.locator(".account summary").click();
        button("^Keys and guided tour$").click();
        await(() -> page.locator("dialog[open] .keys").count() == 1);
        inDialog("^Guided tour$").click();
        await(() -> page.locator(".tour h2").innerText().startsWith("1 of 5"));
        button("^End the tour$").click();
        page.locator(".account summary").click();
        button("^Go to a page, VM or host$").click();
        page.fill("dialog[open] input", "web-23");
        page.locator(".palette [role=option]", new Page.LocatorOptions().setHasText("web-23"))
                .click();
        await(() -> page.locator(".drawer h2").innerText().equals("web-23"));
        assertThat((int) page.evaluate("document.documentElement.scrollWidth")).isEqualTo(390);
    }

    @Test
    void theMapIsUsedByKeys() {
        logIn();
        go("#/map");
        await(() -> (boolean) page.evaluate("document.querySelector('.map canvas').width > 400"));
        page.locator(".map").focus();
        List<String> seen = new ArrayList<>();
        for (String key : List.of("ArrowRight", "ArrowRight", "End", "Home", "PageDown")) {
            String before = page.locator("section[aria-label=Map] .tools .count").innerText();
            page.keyboard().press(key);
            await(() ->
                    !page.locator("section[aria-label=Map] .tools .count")
                            .innerText()
                            .equals(before));
            seen.add(page.locator("section[aria-label=Map] .tools .count").innerText());
        }
        assertThat(seen.getFirst()).isEqualTo(seen.get(3)).contains("host-0001");
        assertThat(seen.getLast()).contains("host-0002");
        assertThat(page.locator(".map-cursor").isVisible()).isTrue();
        page.keyboard().press("Enter");
        String name = seen.getLast().substring(0, seen.getLast().indexOf(" · "));
        await(() -> page.locator(".drawer h2").innerText().equals(name));
    }

    @Test
    void theMapIsColouredByMetricsAndSelects() {
        logIn();
        go("#/map");
        Locator tools = page.locator("section[aria-label=Map] .tools");
        await(() -> (boolean) page.evaluate("document.querySelector('.map canvas').width > 400"));
        assertThat(tools.innerText()).contains("ended with an error");
        for (String[] each :
                new String[][] {
                    {"network", " %"},
                    {"diskRead", " MiB/s"},
                    {"diskWrite", " MiB/s"},
                    {"uptime", ""},
                    {"age", " s"},
                    {"cpu", " %"}
                }) {
            tools.locator("select").selectOption(each[0]);
            await(() -> url().contains("by=" + each[0]));
            page.locator(".map").focus();
            page.keyboard().press("Home");
            await(() -> {
                page.keyboard().press("ArrowRight");
                page.keyboard().press("ArrowLeft");
                String hint = tools.locator(".count").innerText();
                return hint.contains(" · host-0001 · ")
                        && hint.endsWith(each[1])
                        && !hint.endsWith("unknown");
            });
            assertThat(tools.locator(".scale").innerText()).contains("0");
        }
        page.keyboard().press("Space");
        await(() -> tools.innerText().contains("Show the 1 selected in the list"));
        page.locator(".map canvas")
                .click(
                        new Locator.ClickOptions()
                                .setPosition(60, 20)
                                .setModifiers(List.of(KeyboardModifier.CONTROL)));
        await(() -> tools.innerText().contains("Show the 2 selected in the list"));
        assertThat(page.locator(".drawer").count()).isZero();
        tools.locator("a").click();
        awaitMatches("2 of " + ALL + " VMs");
    }

    @Test
    void aTokenIsMadeAndRevoked() {
        logIn();
        go("#/access");
        await(() -> page.locator(".users").innerText().contains(READER));
        button("^Make a token$").click();
        page.fill("dialog[open] input[name=label]", "of a test");
        inDialog("^Make token$").click();
        await(() -> page.locator("dialog[open] .secret").count() == 1);
        assertThat(
                        asAdministrator(
                                "POST",
                                "/api/v1/tokens",
                                "{\"label\":\"a short one\",\"roles\":[\"reader\"],\"expiresAt\":\"%s\"}"
                                        .formatted(Instant.now().plusSeconds(3))))
                .isEqualTo(201);
        String token = page.locator("dialog[open] .secret").innerText();
        assertThat(withToken(token)).isEqualTo(200);
        inDialog("^Close$").click();
        await(() -> page.locator(".tokens").innerText().contains("of a test"));
        Locator rows = page.locator(".tokens tbody tr");
        await(() -> rows.filter(having("a short one")).innerText().contains("expired"));
        assertThat(rows.filter(having("of a test")).innerText()).doesNotContain("expired");
        rows.filter(having("of a test")).locator("button", named("^Revoke$")).click();
        inDialog("^Revoke$").click();
        await(() -> withToken(token) == 401);
        await(() -> rows.count() == 1);
        rows.locator("button", named("^Revoke$")).click();
        inDialog("^Revoke$").click();
        await(() -> page.locator(".tokens tbody tr").count() == 0);
    }

    private static Locator.FilterOptions having(String words) {
        return new Locator.FilterOptions().setHasText(words);
    }

    private static int withToken(String token) {
        return engine.send(
                        HttpRequest.newBuilder(URI.create(engine.address() + "/api/v1/me"))
                                .header("Authorization", "Bearer " + token)
                                .build())
                .statusCode();
    }

    @Test
    void theTourHasFiveSteps() {
        logIn();
        go("#/vms?tour=1");
        List<String> pages = List.of("VMs", "VMs", "VMs", "Hosts", "Map");
        for (int step = 1; step <= pages.size(); step++) {
            String title = step + " of 5";
            await(() -> page.locator(".tour h2").innerText().startsWith(title));
            String shown = pages.get(step - 1);
            await(() -> page.title().startsWith(shown));
            page.keyboard().press("Enter");
        }
        await(() -> page.locator(".tour").count() == 0);
    }

    @Test
    void settingsInForceAreShownToAdministratorsOnly() {
        logIn();
        go("#/settings?q=cycle.interval");
        await(() -> page.locator("section[aria-label=Settings] tbody tr").count() >= 1);
        await(() -> {
            String rows = page.locator("section[aria-label=Settings] tbody").innerText();
            return Stream.of("stillwater.cycle.interval", "500ms", "command line")
                    .allMatch(rows::contains);
        });
        go("#/settings?q=initial-password");
        await(() -> page.locator("section[aria-label=Settings] tbody").innerText().contains("•••"));
        assertThat(page.locator("section[aria-label=Settings] tbody").innerText())
                .doesNotContain(RunningEngine.PASSWORD);
        go("#/settings");
        await(() -> page.locator("section[aria-label=Settings] tbody tr").count() > 100);
        assertThat(page.locator("section[aria-label=Settings] tbody").innerText())
                .doesNotContain("{@");
    }

    /** Answers a path of the interface with JSON, in which apostrophes stand for quotes. */
    private void answer(String path, String json) {
        context.route(
                Pattern.compile(path),
                route ->
                        route.fulfill(
                                new Route.FulfillOptions()
                                        .setContentType("application/json")
                                        .setBody(json.replace('\'', '"'))));
    }

    private static final String FINDING = "00000000-0000-0000-0000-0000000000f1";

    /** A regression of a host, with the points of a member before and after its begin. */
    private static String finding() {
        return """
        {'id': '%s', 'state': 'open', 'level': 'host', 'object': 'h', 'objectName': 'host slow-1', 'vmId': null,
         'hostId': null, 'clusterId': null, 'text': '', 'begin': '2026-11-26T10:05:00Z',
         'earliest': '2026-11-26T10:00:00Z', 'latest': '2026-11-26T10:15:00Z', 'detectedAt': '2026-11-26T10:40:00Z',
         'endedAt': null, 'ending': null, 'memberCount': 80, 'vms': 80, 'acknowledged': null, 'silencedUntil': null,
         'changes': [{'metric': 'disk-read-latency', 'unit': 'ms', 'changePercent': 48.2, 'lowPercent': 44.1,
           'highPercent': 52.6, 'confidence': 0.9999, 'before': 1.9, 'after': 2.82, 'impact': 41.5, 'impactUnit': 'ms·h'}],
         'coincidences': [{'kind': 'software', 'text': 'host agent 4.50.3 became 4.50.5', 'at': '2026-11-26T10:04:00Z',
           'share': 1.0}]}
        """
                .formatted(FINDING);
    }

    private void answerFindings() {
        String other =
                finding()
                        .replace("00f1", "00f2")
                        .replace("slow-1", "slow-2")
                        .replace("'vms': 80", "'vms': 2")
                        .replace("11-26", "11-27");
        answer(
                "/api/v1/findings\\?",
                "{'items': [%s, %s], 'total': 2}".formatted(other, finding()));
        StringBuilder points = new StringBuilder();
        for (int i = 0; i < 96; i++) {
            points.append(i == 0 ? "" : ", ").append(i == 20 ? "null" : i < 48 ? "1.9" : "2.8");
        }
        answer(
                "/api/v1/findings/" + FINDING + "$",
                """
                {'finding': %s, 'members': [{'object': 'd', 'name': 'disk vda of VM web-1'}],
                 'evidence': [{'metric': 'disk-read-latency', 'unit': 'ms', 'object': 'd', 'name': 'disk vda of VM web-1',
                   'first': '2026-11-26T06:05:00Z', 'step': 'PT5M', 'begin': 48, 'times': [], 'values': [%s],
                   'marks': [{'position': 20, 'kind': 'migration'}], 'readBack': 0}]}
                """
                        .formatted(finding(), points));
    }

    @Test
    void aRegressionShowsItsEvidence() {
        answerFindings();
        logIn();
        go("#/findings");
        Locator list = page.locator("section[aria-label=Regressions] tbody");
        await(() -> list.locator("tr").count() == 2);
        assertThat(list.locator("tr").first().innerText()).contains("slow-2");
        page.locator("select[name=order]").selectOption("impact");
        await(() -> list.locator("tr").first().innerText().contains("slow-1"));
        assertThat(list.locator("tr").first().innerText())
                .contains(
                        "disk read latency +48.2 % (+44.1 to +52.6 %)",
                        "± 10 min", "80 VMs, 41.5 ms·h", "host agent 4.50.3 became 4.50.5");
        List<String> asked = new CopyOnWriteArrayList<>();
        page.onRequest(request -> asked.add(request.url()));
        page.locator("select[name=level]").selectOption("host");
        page.locator("select[name=state]").selectOption("all");
        page.locator("select[name=cluster]").selectOption(ClusterId.DEFAULT.toString());
        String filtered = "level=host&cluster=" + ClusterId.DEFAULT;
        await(
                () -> // a look at the page takes its events in
                list.locator("tr").count() == 2
                                && asked.stream()
                                        .anyMatch(url ->
                                                url.contains(filtered) && !url.contains("state=")));
        list.locator("th button").first().click();
        Locator details = page.locator(".drawer");
        await(() -> details.locator(".evidence .u-legend").count() == 1);
        assertThat(details.innerText())
                .contains(
                        "1.9 → 2.82 ms",
                        "of 100 % of the members",
                        "A coincidence is no proof",
                        "disk vda of VM web-1, migrated",
                        "Members: 80 objects");
        assertThat(details.locator(".evidence .chart").getAttribute("aria-label"))
                .contains("1.9 ms before, 2.82 ms after");
        page.keyboard().press("Escape");
        await(() -> page.locator(".drawer").count() == 0);
    }

    private static final String BENCHMARKED = "00000000-0000-0000-0000-0000000000b1";

    private void answerBenchmarks() {
        answer(
                "/api/v1/benchmarks\\?",
                """
                {'total': 1, 'next': null, 'items': [{'id': '00000000-0000-0000-0000-0000000000b2', 'vmId': '%s',
                  'objectName': 'web-1', 'startedAt': '2026-11-27T04:00:00Z', 'receivedAt': '2026-11-27T04:03:00Z',
                  'engine': 'direct', 'machine': 'web-1.example', 'kernel': 'Linux 6.1', 'direct': true,
                  'fileBytes': 1073741824, 'seconds': 5, 'cells': 36, 'postedBy': 'agent', 'durationMillis': 180000}]}
                """
                        .formatted(BENCHMARKED));
        List<String> cells = new ArrayList<>();
        for (String operation : List.of("sequential-read", "random-write")) {
            for (int record : new int[] {65_536, 1_048_576, 16_777_216}) {
                boolean isDip = operation.equals("random-write") && record == 1_048_576;
                cells.add(
                        """
                        {'operation': '%s', 'recordBytes': %d, 'last': %s, 'lastAt': '2026-11-27T04:00:00Z', 'runs': 12,
                         'baseline': 500, 'low': 450, 'high': 550, 'dip': %s, 'begin': %s, 'changePercent': %s, 'findingId': null}
                        """
                                .formatted(
                                        operation,
                                        record,
                                        isDip ? "342" : "512",
                                        isDip,
                                        isDip ? "'2026-11-26T04:00:00Z'" : "null",
                                        isDip ? "-31.6" : "null"));
            }
        }
        answer(
                "/api/v1/benchmarks/matrix",
                """
                {'objectName': 'web-1', 'setup': {'engine': 'direct', 'direct': true, 'fileBytes': 1073741824, 'seconds': 5},
                 'runs': 12, 'records': [65536, 1048576, 16777216], 'operations': ['sequential-read', 'random-write'],
                 'cells': [%s]}
                """
                        .formatted(String.join(", ", cells)));
        answer(
                "/api/v1/benchmarks/series",
                """
                {'operation': 'random-write', 'recordBytes': 1048576, 'cell': %s, 'points': [
                 {'at': '2026-11-25T04:00:00Z', 'run': 'a', 'megabytesPerSecond': 501},
                 {'at': '2026-11-26T04:00:00Z', 'run': 'b', 'megabytesPerSecond': 344},
                 {'at': '2026-11-27T04:00:00Z', 'run': 'c', 'megabytesPerSecond': 342}]}
                """
                        .formatted(cells.get(4)));
    }

    @Test
    @Tag("full")
    void aBenchmarkMatrixMarksADip() {
        answerBenchmarks();
        logIn();
        goByKeys("b", "Benchmarks");
        Locator shown = page.locator("section[aria-label=Benchmarks]");
        await(() -> shown.locator(".runs tbody tr").count() == 1);
        shown.locator(".runs tbody a").click();
        await(() -> shown.locator(".matrix tbody tr").count() == 3);
        assertThat(shown.locator(".matrix td.dip").count()).isEqualTo(1);
        assertThat(shown.locator(".matrix td.dip").innerText())
                .contains("342", "dip -31.6 %", "level 500, band 450 to 550");
        await(() -> shown.locator(".curves canvas").count() == 2);
        shown.locator(".matrix td.dip button").click();
        await(() -> shown.locator(".cell .u-legend").count() == 1);
        assertThat(url()).contains("of=vm%3A" + BENCHMARKED, "cell=random-write%7C1048576");
        button("^All runs$").click();
        await(() -> shown.locator(".matrix").count() == 0);
    }

    /**
     * Runs of a host whose writes of 512 KiB became slower, and of a VM whose writes of all sizes
     * did; once for all tests.
     */
    private static void postBenchmarks() {
        if (!BENCHMARKS.isEmpty()) {
            return;
        }
        engine.bean(RegressionMonitor.class).turn(); // knows older findings now
        BENCHMARKS.put(
                "host", engine.monitoring().fleet().hosts().getFirst().state().definition().id());
        BENCHMARKS.put("vm", fleet.world().vms().getFirst().id());
        Instant first = Instant.now().minus(Duration.ofDays(9));
        Random random = new Random(7);
        for (int i = 0; i < BENCHMARK_RUNS; i++) {
            String at = first.plus(Duration.ofHours(6L * i)).toString();
            for (Map.Entry<String, Object> each : BENCHMARKS.entrySet()) {
                List<String> cells = new ArrayList<>();
                for (int bytes = 65_536; bytes <= 16_777_216; bytes *= 2) {
                    for (String operation : List.of("sequential-read", "sequential-write")) {
                        boolean isSlow =
                                i >= BENCHMARK_RUNS - 12
                                        && operation.equals("sequential-write")
                                        && (bytes == 524_288 || each.getKey().equals("vm"));
                        double noise = Math.exp(0.03 * random.nextGaussian());
                        long moved = Math.round((isSlow ? 250 : 400) * noise * 5_000_000);
                        cells.add(
                                """
                                {"operation": "%s", "recordBytes": %d, "bytes": %d, "millis": 5000,
                                 "megabytesPerSecond": %s}
                                """
                                        .formatted(operation, bytes, moved, moved / 5e6));
                    }
                }
                assertThat(
                                asAdministrator(
                                        "POST",
                                        "/api/v1/benchmarks",
                                        """
                                        {"run": "%s", "%s": "%s", "startedAt": "%s", "engine": "direct",
                                         "machine": "m", "kernel": "Linux", "direct": true,
                                         "fileBytes": 1073741824, "seconds": 5, "results": [%s]}
                                        """
                                                .formatted(
                                                        UUID.randomUUID(),
                                                        each.getKey(),
                                                        each.getValue(),
                                                        at,
                                                        String.join(",", cells))))
                        .isEqualTo(201);
            }
        }
    }

    @Test
    void aRegressionThatTheEngineFoundIsShownWithItsPointsAndIsKnown() {
        postBenchmarks();
        logIn();
        go("#/findings");
        Locator list = page.locator("section[aria-label=Regressions] tbody");
        Locator operation =
                list.locator(
                        "tr",
                        new Locator.LocatorOptions()
                                .setHasText(Pattern.compile("sequential-write of VM external-")));
        await(() -> operation.count() == 1);
        assertThat(operation.innerText()).contains("benchmark throughput -3");
        operation.locator("th button").click();
        Locator details = page.locator(".drawer");
        await(() -> details.locator(".evidence .u-legend").count() == 1);
        assertThat(details.locator(".evidence .u-legend").innerText())
                .as("three members")
                .contains("sequential-write with");
        assertThat(details.innerText()).contains("Members: 9 objects");
        inDrawer("^Acknowledge$").click();
        page.fill("dialog[open] input[name=comment]", "old disks");
        inDialog("^Acknowledge$").click();
        awaitNoDialog();
        await(() -> details.innerText().contains("old disks"));
        await(() -> operation.innerText().contains(ADMINISTRATOR));
        page.keyboard().press("Escape");

        Locator cell =
                list.locator(
                        "tr",
                        new Locator.LocatorOptions()
                                .setHasText("sequential-write with 512 KiB records of host"));
        cell.locator("th button").click();
        await(() -> details.locator(".cell .u-legend").count() == 1);
        assertThat(details.locator(".cell").innerText()).contains("512 KiB", "dip -3");
        details.locator("a[href*=benchmarks]").click();
        await(() -> url().contains("#/benchmarks?of=host"));
    }

    @Test
    void aBenchmarkMatrixOfTheEngineMarksItsDip() {
        postBenchmarks();
        logIn();
        go("#/benchmarks?of=host:" + BENCHMARKS.get("host"));
        Locator shown = page.locator("section[aria-label=Benchmarks]");
        await(() -> shown.locator(".matrix tbody tr").count() == 9);
        assertThat(shown.locator(".matrix td.dip").count()).isEqualTo(1);
        assertThat(shown.locator(".matrix td.dip").innerText())
                .containsPattern("dip -3\\d(\\.\\d)? %");
        await(() -> shown.locator(".curves canvas").count() == 2);
        shown.locator(".matrix td.dip button").click();
        await(() -> shown.locator(".cell .u-legend").count() == 1);
        assertThat(url()).contains("cell=sequential-write%7C524288");
        shown.locator(".cell a[href*=findings]").click();
        await(() -> page.locator(".drawer .cell .u-legend").count() == 1);
        assertThat(page.locator(".drawer h2").innerText())
                .startsWith("sequential-write with 512 KiB records of host");
        go("#/benchmarks");
        await(() -> shown.locator(".runs tbody tr").count() == 2 * BENCHMARK_RUNS);
    }

    @Test
    void anAlertRuleIsTestedEnabledAndItsAlertsAreAcknowledgedAndSilenced() {
        AlertMonitor monitor = engine.bean(AlertMonitor.class);
        logIn();
        go("#/alerts?show=rules");
        button("^Add a rule$").click();
        page.fill("dialog[open] input[name=alert]", "HasMemory");
        page.fill("dialog[open] input[name=expr]", "host.memoryFreeMebibyte > 0");
        page.fill("dialog[open] input[name=for]", "0s");
        assertThat(inDialog("^Save and enable$").isEnabled()).isFalse();
        page.keyboard().press("Enter"); // back-tests
        await(() -> page.locator("#expr-problem").count() == 1);
        assertThat(page.locator("#expr-problem").innerText()).contains("host.memoryFreeMebibytes");
        page.fill("dialog[open] input[name=expr]", "host.memoryFreeMebibytes > 0");
        assertThat(page.locator("#expr-problem").count()).isZero();
        inDialog("^Back-test$").click();
        await(() -> page.locator("dialog[open] .timeline").count() == 1);
        assertThat(page.locator("dialog[open] .back-test").innerText())
                .containsPattern("Would have fired .* in 30 days");
        inDialog("^Save, disabled$").click();
        Locator rules = page.locator("section[aria-label=Alerts] tbody");
        await(() -> rules.innerText().contains("disabled"));
        rules.locator("button", new Locator.LocatorOptions().setHasText("Enable")).click();
        await(() -> inDialog("^Enable$").isEnabled());
        inDialog("^Enable$").click();
        awaitNoDialog();
        await(() -> rules.innerText().contains("enabled"));

        page.locator(".tabs a").first().click();
        await(() -> {
            monitor.turn();
            return rules.locator("tr").count() == HOSTS;
        });
        rules.locator("button", new Locator.LocatorOptions().setHasText("Acknowledge"))
                .first()
                .click();
        page.fill("dialog[open] input[name=comment]", "known");
        inDialog("^Acknowledge$").click();
        awaitNoDialog();
        await(() -> rules.innerText().contains(ADMINISTRATOR));
        assertThat(rules.innerText()).contains(": known");
        rules.locator(
                        "button",
                        new Locator.LocatorOptions().setHasText(Pattern.compile("^Silence$")))
                .first()
                .click();
        page.fill("dialog[open] input[name=minutes]", "0");
        inDialog("^Silence$").click();
        await(() -> page.locator("#minutes-problem").innerText().contains("1 to 525600"));
        page.fill("dialog[open] input[name=minutes]", "2");
        page.fill("dialog[open] input[name=comment]", "a test");
        inDialog("^Silence$").click();
        awaitNoDialog();
        await(() -> rules.innerText().contains("silenced"));

        page.locator(".tabs a").last().click();
        await(() -> rules.innerText().contains("alertname = HasMemory"));
        assertThat(rules.innerText()).contains("a test");
        rules.locator("button").click();
        inDialog("^End$").click();
        await(() -> rules.locator("tr").count() == 0);

        context.clearCookies();
        logIn(READER, READER_PASSWORD);
        go("#/alerts");
        await(() -> rules.locator("tr").count() == HOSTS);
        assertThat(page.locator(".alerts button:not(.link-like)").count()).isZero();
        go("#/alerts?show=rules");
        await(() -> rules.innerText().contains("HasMemory"));
        assertThat(page.locator(".alerts button").count()).isZero();

        context.clearCookies();
        logIn();
        go("#/alerts?show=rules");
        rules.locator("button", new Locator.LocatorOptions().setHasText("Delete")).click();
        inDialog("^Delete$").click();
        await(() -> rules.locator("tr").count() == 0);
    }

    @Test
    void axeFindsNoViolation() throws Exception {
        context.addInitScript(axe());
        logIn();
        List<String> found = new ArrayList<>();
        await(() -> page.locator(".column-cpu polyline[points*=',']").count() > 0);
        look("VMs", found);
        page.keyboard().press("?");
        await(() -> page.locator("dialog[open] .keys").count() == 1);
        look("keys", found);
        page.keyboard().press("Escape");
        awaitNoDialog();
        page.keyboard().press("Control+k");
        await(() -> page.locator(".palette [role=option]").count() > 1);
        look("palette", found);
        page.keyboard().press("Escape");
        awaitNoDialog();
        search("name:external- status:up");
        selectFirst(2, "external-");
        button("^Shut down$").first().click();
        await(() -> inDialog("^Shut down 2$").isEnabled());
        look("action", found);
        page.keyboard().press("Escape");
        awaitNoDialog();
        openFirst("external-");
        await(() -> page.locator(".drawer .u-legend").count() == 4);
        look("VM", found);
        inDrawer("^Edit$").click();
        await(() -> page.locator("dialog[open] input[name=name]").count() == 1);
        look("edit", found);
        page.keyboard().press("Escape");
        awaitNoDialog();
        page.keyboard().press("Escape");
        await(() -> page.locator(".drawer").count() == 0);
        button("^Compare$").click();
        await(() -> page.locator("section[aria-label=Compare] .u-legend").count() == 1);
        look("compare", found);
        lookAtPages("", found);
        go("#/hosts");
        page.locator("section[aria-label=Hosts] tbody th button").first().click();
        await(() -> page.locator(".drawer .fingerprint").count() >= 1);
        look("host", found);
        button("^Add a fence agent$").click();
        page.fill("dialog[open] input[name=type]", "ipmilan");
        page.fill("dialog[open] input[name=address]", "-");
        inDialog("^Test$").click();
        awaitRefusal("address", "a DNS name or an IP address");
        look("fence agent", found);
        page.keyboard().press("Escape");
        awaitNoDialog();
        go("#/access");
        rolesOf(ADMINISTRATOR);
        page.selectOption("dialog[open] select[name=scope]", "vm");
        look("roles", found);
        page.keyboard().press("Escape");
        awaitNoDialog();
        go("#/hosts");
        button("^Add a host$").click();
        look("add a host", found);
        page.keyboard().press("Escape");
        awaitNoDialog();
        go("#/pools");
        button("^Add a pool$").click();
        look("add a pool", found);
        page.keyboard().press("Escape");
        awaitNoDialog();
        lookAtInsights(found);
        assertThat(found).isEmpty();
    }

    /** Regressions, alerts and benchmarks, with something on each of them. */
    private void lookAtInsights(List<String> found) {
        answerFindings();
        answerBenchmarks();
        go("#/findings?finding=" + FINDING);
        await(() -> page.locator(".drawer .evidence .u-legend").count() == 1);
        look("regression", found);
        go("#/alerts?show=rules");
        button("^Add a rule$").click();
        page.locator("dialog[open] details summary").first().click();
        page.fill("dialog[open] input[name=expr]", "vm > 0");
        page.keyboard().press("Enter");
        await(() -> page.locator("dialog[open] [aria-invalid=true]").count() == 1);
        look("add a rule", found);
        page.keyboard().press("Escape");
        awaitNoDialog();
        go("#/benchmarks?of=vm:" + BENCHMARKED + "&cell=random-write%7C1048576");
        await(() -> page.locator(".cell .u-legend").count() == 1);
        await(() -> page.locator(".curves canvas").count() == 2);
        look("benchmarks", found);
    }

    @Test
    @Tag("full")
    void axeFindsNoViolationInTheDark() throws Exception {
        context.addInitScript(axe());
        context.addInitScript("localStorage.setItem('stillwater.theme', 'dark')");
        logIn();
        List<String> found = new ArrayList<>();
        await(() -> page.locator("[data-theme=dark]").count() == 1);
        look("VMs", found);
        openFirst("");
        await(() -> page.locator(".drawer .facts").count() == 1);
        look("VM", found);
        page.keyboard().press("Escape");
        await(() -> page.locator(".drawer").count() == 0);
        lookAtPages("", found);
        lookAtInsights(found);
        assertThat(found).isEmpty();
    }

    @Test
    @Tag("full")
    void axeFindsNoViolationOnATelephoneWhichIsWideEnoughForEveryPage() throws Exception {
        context.addInitScript(axe());
        page.setViewportSize(390, 844);
        logIn();
        List<String> found = new ArrayList<>();
        look("VMs", found);
        openFirst("");
        await(() -> page.locator(".drawer .facts").count() == 1);
        look("VM", found);
        page.keyboard().press("Escape");
        await(() -> page.locator(".drawer").count() == 0);
        lookAtPages(
                "document.documentElement.scrollWidth > 390 ? 'wider than the screen' : ''", found);
        lookAtInsights(found);
        assertThat((int) page.evaluate("document.documentElement.scrollWidth")).isEqualTo(390);
        assertThat(found).isEmpty();
    }

    /** Opens every page but the first; the script reports other faults there. */
    private void lookAtPages(String script, List<String> found) {
        for (String each :
                List.of(
                        "hosts",
                        "clusters",
                        "operations",
                        "events",
                        "findings",
                        "alerts",
                        "benchmarks",
                        "map",
                        "pools",
                        "groups",
                        "access",
                        "engine",
                        "settings")) {
            go("#/" + each);
            await(() -> page.locator("section.page:not([hidden])").count() == 1);
            await(() ->
                    page.locator(".top nav a[aria-current]").getAttribute("href").endsWith(each));
            if (each.equals("engine")) {
                await(() -> page.locator(".engine .heat button").count() == HOSTS);
                await(() -> page.locator(".engine .stages tbody tr").count() > 0);
            }
            look(each, found);
            String wrong = script.isEmpty() ? "" : (String) page.evaluate(script);
            if (!wrong.isEmpty()) {
                found.add(each + ": " + wrong);
            }
        }
    }

    /** The library, which the jar of axe has for browsers. */
    private static String axe() throws IOException {
        String path = "axe.min.js";
        try (InputStream in = ConsoleIT.class.getClassLoader().getResourceAsStream(path)) {
            assertThat(in).as(path).isNotNull();
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private void look(String what, List<String> found) {
        Object violations =
                page.evaluate(
                        "() => axe.run(document).then(found => found.violations.map(each => each.id"
                            + " + ': ' + each.nodes.slice(0, 3).map(node => node.target.join(' ') +"
                            + " ' ' + node.failureSummary).join('; ')))");
        ((List<?>) violations).forEach(each -> found.add(what + ": " + each));
    }

    /** Passes bytes on to the engine, until the connection is cut. */
    private static final class Relay implements AutoCloseable {

        private final ServerSocket listening =
                new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        private final int engine;
        private final Set<Socket> open = ConcurrentHashMap.newKeySet();
        private volatile boolean isCut;

        Relay(int engine) throws IOException {
            this.engine = engine;
            Thread.ofVirtual().start(this::accept);
        }

        String address() {
            return "http://127.0.0.1:" + listening.getLocalPort();
        }

        private void accept() {
            while (!listening.isClosed()) {
                try {
                    Socket from = listening.accept();
                    if (isCut) {
                        from.close();
                        continue;
                    }
                    Socket to = new Socket(InetAddress.getLoopbackAddress(), engine);
                    open.addAll(List.of(from, to));
                    if (isCut) { // since it was looked at
                        from.close();
                        to.close();
                        continue;
                    }
                    Thread.ofVirtual().start(() -> pass(from, to));
                    Thread.ofVirtual().start(() -> pass(to, from));
                } catch (IOException e) {
                    // closed, or the next connection is another try
                }
            }
        }

        private void pass(Socket from, Socket to) {
            try (from;
                    to) {
                from.getInputStream().transferTo(to.getOutputStream());
            } catch (IOException e) {
                // cut
            } finally {
                open.removeAll(List.of(from, to));
            }
        }

        void cut() throws IOException {
            isCut = true;
            for (Socket each : open) {
                each.close();
            }
        }

        void mend() {
            isCut = false;
        }

        @Override
        public void close() throws IOException {
            listening.close();
            cut();
        }
    }

    /** Where the only element of a selector is; null if there is none now, or several. */
    private @Nullable BoundingBox boxOfTheOnly(String selector) {
        List<ElementHandle> found = page.querySelectorAll(selector);
        return found.size() == 1 ? found.getFirst().boundingBox() : null;
    }
}
