package org.stillwater.server.fence;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.core.fence.FenceAgent;
import org.stillwater.core.fence.PowerFence.Answer;
import org.stillwater.core.host.HostWork;
import org.stillwater.core.host.HostWorkKind;
import org.stillwater.core.id.HostId;
import org.stillwater.core.store.DefinitionStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.server.settings.PowerFenceSettings;
import org.stillwater.testkit.memory.InMemoryDefinitionStore;
import org.stillwater.testkit.memory.InMemoryVmStore;

/** Real processes: programs that play fence agents, in the ways in which those end, or do not. */
@Timeout(60)
class FenceAgentsTest {

    private static final HostId HOST = new HostId(new UUID(1, 1));
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final String SECRET = "s3cret word";

    @TempDir private Path folder;
    private final InMemoryDefinitionStore definitions =
            new InMemoryDefinitionStore(new InMemoryVmStore());
    private Path state;
    private Path arguments;
    private Path calls;

    @BeforeEach
    void files() throws IOException {
        state = Files.writeString(folder.resolve("state"), "on");
        arguments = folder.resolve("arguments");
        calls = folder.resolve("calls");
    }

    /** An agent that keeps power in a file. */
    private String obedient() {
        return """
        echo "$0" "$@" >> '%1$s'
        action=
        while IFS= read -r line; do
          echo "$line" >> '%2$s'
          case "$line" in action=*) action="${line#action=}" ;; esac
        done
        case "$action" in
          on|off) echo "$action" > '%3$s' ;;
          status) case "$(cat '%3$s')" in on) exit 0 ;; off) exit 2 ;; esac ;;
        esac
        """
                .formatted(arguments, calls, state);
    }

    private void agent(String type, String script) throws IOException {
        Path program = folder.resolve("fence_" + type);
        Files.writeString(program, "#!/bin/sh\n" + script + "\n");
        assertThat(program.toFile().setExecutable(true)).isTrue();
    }

    private void defined(String... types) throws StoreUnavailable {
        List<FenceAgent> agents = new ArrayList<>();
        for (String type : types) {
            agents.add(
                    new FenceAgent(
                            type, "192.0.2.9", 623, "admin", SECRET, Map.of("lanplus", "1")));
        }
        assertThat(definitions.saveFenceAgents(HOST, agents)).isTrue();
    }

    private FenceAgents fence(Duration timeLimit) {
        return fence(timeLimit, false);
    }

    private FenceAgents fence(Duration timeLimit, boolean dryRun) {
        return fence(timeLimit, dryRun, definitions);
    }

    private FenceAgents fence(Duration timeLimit, DefinitionStore store) {
        return fence(timeLimit, false, store);
    }

    private FenceAgents fence(Duration timeLimit, boolean dryRun, DefinitionStore store) {
        return new FenceAgents(
                new PowerFenceSettings(
                        dryRun, folder, null, timeLimit, Duration.ofMillis(10), 3, 2),
                store,
                FenceAgentCatalog.shipped());
    }

    private static Answer answer(FenceAgents fence) throws Exception {
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        fence.fence(
                new HostWork(HOST, HostWorkKind.FENCE, 1, 0, "it does not respond"),
                new UUID(2, 2),
                answer::complete);
        return answer.get(50, TimeUnit.SECONDS);
    }

    private static String failure(FenceAgents fence) throws Exception {
        return ((Answer.Failed) answer(fence)).reason();
    }

    @Test
    void aHostIsOffByItsAgentAndNoSecretIsOnACommandLine() throws Exception {
        agent("ipmilan", obedient());
        defined("ipmilan");
        try (FenceAgents fence = fence(LONG)) {
            assertThat(answer(fence)).isEqualTo(new Answer.Fenced());
            assertThat(Files.readString(state)).isEqualTo("off\n");
            assertThat(Files.readAllLines(calls))
                    .containsExactly(
                            "lanplus=1",
                            "ip=192.0.2.9",
                            "ipport=623",
                            "username=admin",
                            "password=" + SECRET,
                            "action=off",
                            "lanplus=1",
                            "ip=192.0.2.9",
                            "ipport=623",
                            "username=admin",
                            "password=" + SECRET,
                            "action=status");
            CompletableFuture<String> on = new CompletableFuture<>();
            fence.powerOn(HOST, reason -> complete(on, reason));
            assertThat(on.get(50, TimeUnit.SECONDS)).isEmpty();
            assertThat(Files.readString(state)).isEqualTo("on\n");
        }
        assertThat(Files.readAllLines(arguments))
                .hasSize(4)
                .containsOnly(folder.resolve("fence_ipmilan").toString());
    }

    private static void complete(CompletableFuture<String> future, @Nullable String reason) {
        future.complete(reason == null ? "" : reason);
    }

    @Test
    void anAgentsOwnSuccessIsNotEnough() throws Exception {
        agent("ipmilan", "cat > /dev/null; exit 0");
        defined("ipmilan");
        try (FenceAgents fence = fence(LONG)) {
            assertThat(failure(fence))
                    .contains("ordered to switch off", "after 3 queries", "code 0");
        }
    }

    @Test
    void theNextAgentIsTriedWhenOneFails() throws Exception {
        agent("ilo3", "cat; echo 'no route to the board'; exit 1");
        agent("ilo4", obedient());
        defined("ilo3", "ilo4");
        try (FenceAgents fence = fence(LONG)) {
            assertThat(answer(fence)).isEqualTo(new Answer.Fenced());
        }
    }

    @Test
    void aReasonNamesEveryAgentAndNothingSecret() throws Exception {
        agent("ilo3", "cat; echo 'no route to the board'; exit 7");
        defined("ilo3", "ilo5");
        try (FenceAgents fence = fence(LONG)) {
            assertThat(failure(fence))
                    .contains("fence_ilo3 at 192.0.2.9: \"off\" ended with code 7")
                    .contains("fence_ilo5 at 192.0.2.9", "cannot be run")
                    .doesNotContain(SECRET);
        }
    }

    /** Agents write their input to their output when something fails. */
    @Test
    void noSecretOptionAndNoPasswordWithBlanksIsPassedOn() throws Exception {
        agent("ipmilan", "cat; exit 7");
        String password = "two  blanks\u2003wide";
        assertThat(
                        definitions.saveFenceAgents(
                                HOST,
                                List.of(
                                        new FenceAgent(
                                                "ipmilan",
                                                "192.0.2.9",
                                                null,
                                                "admin",
                                                password,
                                                Map.of("hexadecimal_kg", "C0FFEE42")),
                                        new FenceAgent(
                                                "ipdu",
                                                "192.0.2.10",
                                                null,
                                                "admin",
                                                null,
                                                Map.of(
                                                        "community",
                                                        "c0mmunity",
                                                        "snmp_priv_passwd",
                                                        "c0mmunity-longer")))))
                .isTrue();
        agent("ipdu", "cat; exit 7");
        try (FenceAgents fence = fence(LONG)) {
            assertThat(failure(fence))
                    .contains("hexadecimal_kg=…", "password=…", "community=…")
                    .contains("snmp_priv_passwd=… ")
                    .doesNotContain("C0FFEE42", "blanks", "wide", "c0mmunity", "longer");
        }
    }

    @Test
    void anAgentThatHangsIsKilledWithAllThatItStarted() throws Exception {
        Path pids = folder.resolve("pids");
        agent("ipmilan", "sleep 600 & echo $! $$ > '" + pids + "'; wait");
        defined("ipmilan");
        try (FenceAgents fence = fence(Duration.ofSeconds(1))) {
            assertThat(failure(fence)).contains("took more than 1 s and was given up");
        }
        for (String pid : Files.readString(pids).strip().split(" ")) {
            ProcessHandle.of(Long.parseLong(pid))
                    .ifPresent(left -> left.onExit().orTimeout(20, TimeUnit.SECONDS).join());
        }
    }

    @Test
    void withoutAgentsTheAnswerHasARemedy() throws Exception {
        try (FenceAgents fence = fence(LONG)) {
            assertThat(failure(fence)).contains("has no fence agent");
        }
    }

    @Test
    void anErrorIsAnAnswer() throws Exception {
        try (FenceAgents fence = fence(LONG, failing())) {
            assertThat(failure(fence)).contains("fault of the engine's own", "StackOverflowError");
            CompletableFuture<String> on = new CompletableFuture<>();
            fence.powerOn(HOST, reason -> complete(on, reason));
            assertThat(on.get(50, TimeUnit.SECONDS)).contains("StackOverflowError");
        }
    }

    /** Definitions that cannot be read because of an error. */
    private static DefinitionStore failing() {
        return (DefinitionStore)
                Proxy.newProxyInstance(
                        DefinitionStore.class.getClassLoader(),
                        new Class<?>[] {DefinitionStore.class},
                        (_, _, _) -> {
                            throw new StackOverflowError("deep");
                        });
    }

    @Test
    void aReceiverThatFailsKeepsNoOtherFromItsAnswer() throws Exception {
        Path go = folder.resolve("go");
        agent("ipmilan", "while [ ! -e '" + go + "' ]; do sleep 0.05; done; exit 1");
        defined("ipmilan");
        try (FenceAgents fence = fence(LONG)) {
            HostWork work = new HostWork(HOST, HostWorkKind.FENCE, 1, 0, "it does not respond");
            UUID owner = new UUID(2, 2);
            fence.fence(
                    work,
                    owner,
                    _ -> {
                        throw new IllegalStateException("broken");
                    });
            CompletableFuture<Answer> second = new CompletableFuture<>();
            fence.fence(work, owner, second::complete);
            Files.createFile(go);
            assertThat(second.get(50, TimeUnit.SECONDS)).isInstanceOf(Answer.Failed.class);
        }
    }

    @Test
    void withoutADatabaseNothingIsSwitched() throws Exception {
        agent("ipmilan", obedient());
        defined("ipmilan");
        definitions.unavailable("gone");
        try (FenceAgents fence = fence(LONG)) {
            assertThat(failure(fence)).contains("the database does not answer");
        }
        assertThat(Files.exists(calls)).isFalse();
    }

    /** Earlier versions took any option; stored forbidden ones are refused, and nothing is run. */
    @Test
    void anAgentWithAnOptionThatIsNotAllowedIsNotRun() throws Exception {
        agent("ipmilan", obedient());
        Path proof = folder.resolve("proof");
        for (Map<String, String> options :
                List.of(
                        Map.of("action", "on"),
                        Map.of("password_script", "touch " + proof),
                        Map.of("ipmitool_path", "/bin/sh"),
                        Map.of("lanplus", "1 -f /etc/shadow"))) {
            FenceAgent agent =
                    new FenceAgent("ipmilan", "192.0.2.9", null, "admin", SECRET, options);
            assertThat(definitions.saveFenceAgents(HOST, List.of(agent))).isTrue();
            try (FenceAgents fence = fence(LONG)) {
                assertThat(failure(fence))
                        .contains("fence_ipmilan at 192.0.2.9: it is not run")
                        .contains(options.keySet().iterator().next())
                        .doesNotContain(SECRET);
                assertThat(fence.status(HOST)).isEqualTo("unknown");
                assertThat(fence.withheld(HOST)).contains("it is not run");
            }
        }
        assertThat(calls).doesNotExist();
        assertThat(proof).doesNotExist();
    }

    @Test
    void anAgentWithAnUnreadablePasswordIsSkipped() throws Exception {
        agent("ipmilan", obedient());
        FenceAgent without =
                new FenceAgent(
                        "ilo4",
                        "192.0.2.8",
                        null,
                        "admin",
                        null,
                        Map.of(),
                        "the key k1 is missing");
        FenceAgent with = new FenceAgent("ipmilan", "192.0.2.9", null, null, SECRET, Map.of());
        assertThat(definitions.saveFenceAgents(HOST, List.of(without))).isTrue();
        try (FenceAgents fence = fence(LONG)) {
            assertThat(failure(fence)).contains("fence_ilo4 at 192.0.2.8", "the key k1 is missing");
        }
        assertThat(definitions.saveFenceAgents(HOST, List.of(without, with))).isTrue();
        try (FenceAgents fence = fence(LONG)) {
            assertThat(answer(fence)).isEqualTo(new Answer.Fenced());
            assertThat(fence.withheld(HOST)).isNull();
        }
    }

    @Test
    void aTestQueriesTheStatusOfAnUnstoredAgent() throws Exception {
        agent("ipmilan", obedient());
        agent("ilo3", "cat; echo 'no route to the board'; exit 7");
        agent("ilo4", "sleep 600");
        var ipmilan = new FenceAgent("ipmilan", "192.0.2.9", null, "admin", SECRET, Map.of());
        var ilo3 = new FenceAgent("ilo3", "192.0.2.9", null, "admin", SECRET, Map.of());
        var ilo4 = new FenceAgent("ilo4", "192.0.2.9", null, null, null, Map.of());
        try (FenceAgents fence = fence(LONG)) {
            assertThat(fence.test(ipmilan)).isEqualTo(new FenceAgents.Tested("on", null));
            Files.writeString(state, "off");
            assertThat(fence.test(ipmilan)).isEqualTo(new FenceAgents.Tested("off", null));
            assertThat(Files.readString(state)).isEqualTo("off");
            FenceAgents.Tested failed = fence.test(ilo3);
            assertThat(failed.power()).isEqualTo("unknown");
            assertThat(failed.trouble())
                    .startsWith("\"status\" ended with code 7")
                    .contains("no route to the board")
                    .doesNotContain(SECRET);
        }
        try (FenceAgents fence = fence(Duration.ofSeconds(1))) {
            assertThat(fence.test(ilo4).trouble()).contains("\"status\" took more than");
        }
        try (FenceAgents fence = fence(LONG, true)) {
            assertThat(fence.test(ipmilan).trouble()).contains("dry run");
        }
    }

    @Test
    void inADryRunNoAgentIsRunNotEvenForTheStatus() throws Exception {
        agent("ipmilan", obedient());
        defined("ipmilan");
        try (FenceAgents fence = fence(LONG, true)) {
            assertThat(fence.withheld(HOST)).contains("dry run", "not even for the status");
            assertThat(fence.status(HOST)).isEqualTo("unknown");
            assertThat(fence.on(HOST)).contains("dry run");
            assertThat(failure(fence)).contains("dry run");
            CompletableFuture<String> on = new CompletableFuture<>();
            fence.powerOn(HOST, reason -> complete(on, reason));
            assertThat(on.get(50, TimeUnit.SECONDS)).contains("dry run");
        }
        assertThat(arguments).doesNotExist();
        assertThat(calls).doesNotExist();
    }
}
