package org.stillwater.server.programs;

import java.io.PrintStream;
import java.util.List;
import org.springframework.boot.logging.LoggingSystem;

/** Frame of these programs: exit codes, help, and the output of a failure. */
final class Program {

    static final int FAILED = 1;
    static final int UNUSABLE = 2;

    private Program() {}

    /** Body of a program; its result is the exit code. */
    @FunctionalInterface
    interface Body {

        /** Does it. */
        int run() throws Arguments.WrongUsage, Failed;
    }

    /** Without log lines: libraries of these programs report failures by exceptions. */
    static void silenceLogs() {
        LoggingSystem.get(Program.class.getClassLoader()).beforeInitialize();
    }

    static int run(
            String name,
            String help,
            List<String> arguments,
            PrintStream out,
            PrintStream err,
            Body body) {
        if (arguments.contains("--help") || arguments.contains("-h")) {
            out.print(help);
            return 0;
        }
        try {
            return body.run();
        } catch (Arguments.WrongUsage e) {
            err.println("stillwater: " + e.getMessage() + "; see ./stillwater " + name + " --help");
            return UNUSABLE;
        } catch (Failed e) {
            err.println("stillwater: " + e.getMessage());
            return FAILED;
        }
    }

    /** The version of this program, from its archive. */
    static String version() {
        String version = Program.class.getPackage().getImplementationVersion();
        return version == null ? "of a development build" : version;
    }
}
