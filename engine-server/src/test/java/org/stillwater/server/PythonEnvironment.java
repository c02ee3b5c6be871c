package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An environment of Python with clients of oVirt, or generators of clients, installed once below
 * the user's cache directory ({@code stillwater/}), so that later runs need no network; deleting it
 * installs it anew.
 */
final class PythonEnvironment {

    private static final Logger LOG = LoggerFactory.getLogger(PythonEnvironment.class);
    private static final String SDK = "ovirt-engine-sdk-python==4.6.3";
    private static final String CURL = "pycurl==7.49.0";
    private static final int INSTALL_SECONDS = 600;

    /** The last versions that Python 3.11 runs; the collection ovirt.ovirt is in the first. */
    private static final String ANSIBLE = "ansible==12.3.0";

    private static final String ANSIBLE_CORE = "ansible-core==2.19.5";

    /** Both generators, and two libraries that only their clients need. */
    private static final String[] GENERATORS = {
        "openapi-generator-cli==7.26.0",
        "openapi-python-client==0.29.1",
        "python-dateutil==4.0.0",
        "urllib3==2.8.0"
    };

    /** The compiler's message when a part for the build of the SDK is missing. */
    private static final List<String> MISSING =
            List.of(
                    "gcc' failed: No such file",
                    "xmlreader.h: No such file",
                    "Python.h: No such file",
                    "ensurepip is not available",
                    "No module named venv");

    /**
     * Of the package ansible, which holds a hundred collections, the one that is used; its pure
     * Python needs no installation.
     */
    private static final String TAKE_COLLECTION =
            """
            import glob, sys, sysconfig, zipfile
            wheel = zipfile.ZipFile(glob.glob(sys.argv[1] + '/ansible-*.whl')[0])
            names = [each for each in wheel.namelist() if each.startswith('ansible_collections/ovirt/')]
            wheel.extractall(sysconfig.get_path('purelib'), names)
            """;

    private final Path home;

    private PythonEnvironment(Path home) {
        this.home = home;
    }

    /** Output and exit code of a program. */
    record Ran(int code, String output) {}

    private interface Installation {
        void into(PythonEnvironment made) throws Exception;
    }

    /** One with the SDK. */
    static PythonEnvironment withSdk() throws Exception {
        return provide(
                "python-sdk-4.6.3", "import ovirtsdk4, pycurl", made -> made.install(SDK, CURL));
    }

    /** One with Ansible, its collection for oVirt and the SDK that this uses. */
    static PythonEnvironment withAnsible() throws Exception {
        return provide(
                "ansible-12.3.0-sdk-4.6.3",
                "import ovirtsdk4, ansible,"
                        + " ansible_collections.ovirt.ovirt.plugins.module_utils.ovirt",
                made -> {
                    made.install(SDK, CURL, ANSIBLE_CORE);
                    Path folder = Files.createDirectories(made.home.resolve("download"));
                    made.pip("download", "--no-deps", "--dest", folder.toString(), ANSIBLE);
                    ok(
                            run(
                                    List.of(
                                            made.python(),
                                            "-c",
                                            TAKE_COLLECTION,
                                            folder.toString()),
                                    Map.of(),
                                    INSTALL_SECONDS));
                    try (var files = Files.list(folder)) {
                        for (Path file : files.toList()) {
                            Files.delete(file);
                        }
                    }
                });
    }

    /** One with generators of clients, and the libraries that their clients in Python use. */
    static PythonEnvironment withGenerators() throws Exception {
        return provide(
                "generators-7.26.0-0.29.1",
                "import openapi_generator_cli, openapi_python_client, pydantic, dateutil, urllib3",
                made -> made.install(GENERATORS));
    }

    private static PythonEnvironment provide(String name, String imports, Installation installation)
            throws Exception {
        String host = System.getProperty("stillwater.test.python", "python3");
        Ran version;
        try {
            version =
                    run(
                            List.of(
                                    host,
                                    "-c",
                                    "import sys; print('%d.%d' % sys.version_info[:2])"),
                            Map.of(),
                            INSTALL_SECONDS);
        } catch (IOException e) {
            throw skipped("there is no Python here (" + e.getMessage() + ")");
        }
        assertThat(version.code()).as(version.output()).isZero();
        Path home = cache().resolve("stillwater/" + name + "-python" + version.output().strip());
        PythonEnvironment environment = new PythonEnvironment(home);
        if (!Files.isExecutable(home.resolve("bin/python"))) {
            Files.createDirectories(home.getParent());
            Path made = Files.createTempDirectory(home.getParent(), "making-");
            ok(run(List.of(host, "-m", "venv", made.toString()), Map.of(), INSTALL_SECONDS));
            installation.into(new PythonEnvironment(made));
            Files.move(made, home, StandardCopyOption.ATOMIC_MOVE);
        }
        Ran imported = run(List.of(environment.python(), "-c", imports), Map.of(), INSTALL_SECONDS);
        assertThat(imported.code()).as("delete " + home + "; " + imported.output()).isZero();
        return environment;
    }

    /** Where installed programs of others are kept. */
    static Path cache() {
        String named = System.getenv("XDG_CACHE_HOME");
        return named == null || named.isBlank()
                ? Path.of(System.getProperty("user.home"), ".cache")
                : Path.of(named);
    }

    private void install(String... packages) throws Exception {
        List<String> arguments = new ArrayList<>(List.of("install"));
        arguments.addAll(Arrays.asList(packages));
        pip(arguments.toArray(String[]::new));
    }

    private void pip(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(python(), "-m", "pip"));
        command.addAll(Arrays.asList(arguments));
        command.add("--disable-pip-version-check");
        ok(run(command, Map.of(), INSTALL_SECONDS));
    }

    /** The interpreter. Programs are run as modules: their scripts name where they were made. */
    String python() {
        return home.resolve("bin/python").toString();
    }

    private static void ok(Ran ran) {
        if (ran.code() != 0 && MISSING.stream().anyMatch(ran.output()::contains)) {
            throw skipped(
                    "the Python SDK cannot be built here; it takes a C compiler and the headers of"
                            + " Python and libxml2:\n"
                            + ran.output());
        }
        assertThat(ran.code()).as(ran.output()).isZero();
    }

    private static RuntimeException skipped(String why) {
        LOG.warn("CLIENTS IN PYTHON WERE NOT TRIED: {}", why);
        Assumptions.abort("clients in Python were not tried: " + why);
        return new IllegalStateException("not reached");
    }

    /** Runs a program to its end, or for so long. */
    static Ran run(List<String> command, Map<String, String> environment, int seconds)
            throws IOException, InterruptedException {
        Path log = Files.createTempFile("python", ".log");
        try {
            ProcessBuilder builder =
                    new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(log.toFile());
            builder.environment().putAll(environment);
            Process process = builder.start();
            if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
            return new Ran(process.exitValue(), Files.readString(log, StandardCharsets.UTF_8));
        } finally {
            Files.delete(log);
        }
    }
}
