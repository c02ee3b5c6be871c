package org.stillwater.benchmarks;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code bench micro}: JMH, with JMH's own options. */
@Command(
        name = "micro",
        description = {
            "Micro-benchmarks by JMH. Everything that follows goes to JMH, for instance",
            "  ./stillwater bench micro AnalysisBenchmark -f 1 -prof gc",
            "  ./stillwater bench micro -h"
        })
final class MicroCommand implements Callable<Integer> {

    @Parameters(
            arity = "0..*",
            paramLabel = "JMH",
            description = "JMH's options: a pattern of names, -f forks, -i iterations …")
    private List<String> options = new ArrayList<>();

    @Override
    public Integer call() throws IOException {
        org.openjdk.jmh.Main.main(options.toArray(new String[0]));
        return 0;
    }
}
