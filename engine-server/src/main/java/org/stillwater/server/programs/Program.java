package org.stillwater.server.programs;

import java.io.PrintStream;
import java.util.List;
import org.springframework.boot.logging.LoggingSystem;

/** How these programs run: their exit codes, their help, and what is printed of a failure. */
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

    /** Without log lines: libraries that these programs use say what failed by exceptions. */
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
