package org.stillwater.fake.xapi.clients;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/**
 * Clients of XAPI in other languages, installed once below the user's cache directory ({@code
 * stillwater/}), so that later runs need no network; deleting it installs them anew.
 */
final class Programs {

    private static final int SECONDS = 300;

    /** Output and exit code of a program. */
    record Ran(int code, String output) {}

    private interface Installation {
        void into(Path folder) throws Exception;
    }

    private Programs() {}

    /** Runs a script of the resources with a version of npm's xen-api. */
    static Ran node(String version, String script, String... arguments) throws Exception {
        require("node", "--version");
        Path home =
                install(
                        "xen-api-" + version,
                        made -> {
                            Files.writeString(made.resolve("package.json"), "{}");
                            ok(
                                    run(
                                            made,
                                            "npm",
                                            "install",
                                            "--no-audit",
                                            "--no-fund",
                                            "--ignore-scripts",
                                            "xen-api@" + version));
                        });
        return run(home, with(List.of("node", copy(home, script)), arguments));
    }

    /** Runs a script of the resources with PyPI's XenAPI. */
    static Ran python(String version, String script, String... arguments) throws Exception {
        require("python3", "--version");
        Path home =
                install(
                        "python-xenapi-" + version,
                        made -> {
                            ok(run(made, "python3", "-m", "venv", "."));
                            ok(
                                    run(
                                            made,
                                            "bin/python",
                                            "-m",
                                            "pip",
                                            "install",
                                            "--disable-pip-version-check",
                                            "XenAPI==" + version));
                        });
        return run(home, with(List.of("bin/python", copy(home, script)), arguments));
    }

    private static String[] with(List<String> command, String... arguments) {
        List<String> all = new ArrayList<>(command);
        all.addAll(Arrays.asList(arguments));
        return all.toArray(String[]::new);
    }

    private static void require(String... command) throws InterruptedException {
        try {
            ok(run(Path.of("."), command));
        } catch (IOException e) {
            Assumptions.abort(command[0] + " is not on this machine: " + e.getMessage());
        }
    }

    private static Path install(String name, Installation installation) throws Exception {
        String cache = System.getenv("XDG_CACHE_HOME");
        Path home =
                (cache == null || cache.isBlank()
                                ? Path.of(System.getProperty("user.home"), ".cache")
                                : Path.of(cache))
                        .resolve("stillwater")
                        .resolve(name);
        if (!Files.exists(home)) {
            Files.createDirectories(home.getParent());
            Path made = Files.createTempDirectory(home.getParent(), "making-");
            installation.into(made);
            Files.move(made, home, StandardCopyOption.ATOMIC_MOVE);
        }
        return home;
    }

    /** Modules are looked for beside the script. */
    private static String copy(Path home, String script) throws IOException {
        Path copy = home.resolve(script);
        try (InputStream in = Programs.class.getResourceAsStream("/clients/" + script)) {
            Files.copy(Objects.requireNonNull(in), copy, StandardCopyOption.REPLACE_EXISTING);
        }
        return copy.toString();
    }

    private static void ok(Ran ran) {
        assertThat(ran.code()).as(ran.output()).isZero();
    }

    private static Ran run(Path folder, String... command)
            throws IOException, InterruptedException {
        Path log = Files.createTempFile("client", ".log");
        try {
            if (command[0].startsWith("bin/")) {
                command[0] = folder.resolve(command[0]).toString();
            }
            ProcessBuilder builder =
                    new ProcessBuilder(command)
                            .directory(folder.toFile())
                            .redirectErrorStream(true)
                            .redirectOutput(log.toFile());
            // The pools' certificates are signed by themselves; old clients know no other way.
            builder.environment().put("NODE_TLS_REJECT_UNAUTHORIZED", "0");
            Process process = builder.start();
            if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
            return new Ran(process.exitValue(), Files.readString(log, StandardCharsets.UTF_8));
        } finally {
            Files.delete(log);
        }
    }
}
