package org.stillwater.server.profile;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.stillwater.server.ProductClasses;
import org.stillwater.server.profile.StageTable.Line;

class StageTableTest {

    private static final String ENGINE = "org.stillwater.";
    private static final Set<String> MODULES =
            Set.of("core", "vdsm", "xapi", "monitoring", "command", "dal", "ovirt", "server");

    private static final JavaClasses CLASSES =
            ProductClasses.in(
                    MODULES.stream().map(each -> ENGINE + each + "..").toArray(String[]::new));

    /**
     * Packages that a table may sort by their parent: those of the native API and below, which are
     * all requests. Every other package has a line of its own.
     */
    private static boolean isCovered(String name) {
        List<Line> lines = StageTable.LINES;
        return lines.stream()
                .anyMatch(line ->
                        name.equals(line.name())
                                || (line.stage() != null && name.startsWith(line.name() + ".")));
    }

    @Test
    void everyPackageOfTheEngineHasAStage() {
        Set<String> packages = new TreeSet<>();
        for (JavaClass each : CLASSES) {
            packages.add(each.getPackageName());
        }
        assertThat(packages).hasSizeGreaterThan(50);
        assertThat(packages)
                .as("packages without a line in StageTable")
                .allMatch(StageTableTest::isCovered);
    }

    @Test
    void everyLineAboutTheEngineNamesAPackageOrAClass() {
        Set<String> names = new TreeSet<>();
        for (JavaClass each : CLASSES) {
            names.add(each.getName());
            String parent = each.getPackageName();
            while (parent.length() > ENGINE.length()) {
                names.add(parent);
                parent = parent.substring(0, parent.lastIndexOf('.'));
            }
        }
        assertThat(StageTable.LINES.stream().map(Line::name))
                .filteredOn(name -> name.startsWith(ENGINE))
                .allMatch(names::contains);
    }

    private static List<Frame> stack(String... frames) {
        return java.util.Arrays.stream(frames)
                .map(each -> {
                    int method = each.lastIndexOf('.');
                    return Frame.of(each.substring(0, method), each.substring(method + 1));
                })
                .toList();
    }

    private static Stage stage(String... frames) {
        return StageTable.stage(stack(frames));
    }

    @Test
    void theInnermostFrameOfTheEngineDecides() {
        assertThat(
                        stage(
                                "java.util.HashMap.hash",
                                "org.stillwater.core.id.VmId.hashCode",
                                "org.stillwater.core.analysis.VmAnalysis.decide",
                                "org.stillwater.monitoring.vm.VmReportProcessor.process",
                                "java.lang.VirtualThread.run"))
                .isEqualTo(Stage.ANALYSE);
        assertThat(
                        stage(
                                "java.util.HashMap.hash",
                                "org.stillwater.core.id.VmId.hashCode",
                                "org.stillwater.monitoring.vm.VmReportProcessor.process"))
                .isEqualTo(Stage.APPLY);
    }

    @Test
    void classesAndMethodsWithALineAreApartFromTheirPackage() {
        assertThat(stage("org.stillwater.vdsm.client.StompConnection.read"))
                .isEqualTo(Stage.RECEIVE);
        assertThat(stage("org.stillwater.vdsm.client.VmDecoder$State.next"))
                .isEqualTo(Stage.DECODE);
        assertThat(
                        stage(
                                "sun.nio.ch.SocketDispatcher.read0",
                                "org.postgresql.jdbc.PgConnection.commit",
                                "org.stillwater.dal.Transactions.run"))
                .isEqualTo(Stage.COMMIT);
        assertThat(
                        stage(
                                "org.postgresql.jdbc.PgConnection.prepareStatement",
                                "org.stillwater.dal.Transactions.run"))
                .isEqualTo(Stage.WRITE);
    }

    @Test
    void aStartReadsTheFleetInAStageOfItsOwn() {
        assertThat(
                        stage(
                                "java.io.DataInputStream.readInt",
                                "org.stillwater.dal.BinaryCopy$Rows.next",
                                "org.stillwater.dal.JdbcVmStore.lambda$loadAll$0",
                                "org.stillwater.dal.Transactions.run",
                                "org.stillwater.dal.JdbcVmStore.loadAll",
                                "org.stillwater.monitoring.FleetRecovery.read",
                                "org.stillwater.monitoring.MonitoringEngine.recover"))
                .isEqualTo(Stage.LOAD);
        assertThat(
                        stage(
                                "org.stillwater.dal.BinaryCopy$Rows.next",
                                "org.stillwater.dal.JdbcHistoryStore.lambda$read$1"))
                .isEqualTo(Stage.HISTORY);
    }

    @Test
    void libraryFramesDecideOnlyWithoutTheEngine() {
        assertThat(
                        stage(
                                "org.apache.coyote.Response.doWrite",
                                "org.stillwater.server.api.stream.StreamWriter.write",
                                "org.apache.catalina.core.StandardWrapperValve.invoke"))
                .isEqualTo(Stage.STREAM);
        assertThat(stage("org.apache.coyote.Response.doWrite", "java.lang.Thread.run"))
                .isEqualTo(Stage.REST);
        assertThat(stage("java.lang.Thread.run")).isEqualTo(Stage.OTHER);
        assertThat(StageTable.stage(List.of())).isEqualTo(Stage.OTHER);
    }

    @Test
    void theProfileIsAStageOfItsOwn() {
        assertThat(
                        stage(
                                "java.lang.String.hashCode",
                                "jdk.jfr.internal.consumer.ChunkParser.parse"))
                .isEqualTo(Stage.PROFILE);
    }

    @Test
    void addressesOfHiddenClassesAreNotPartOfAFrame() {
        assertThat(Frame.of("org.x.A$$Lambda.0x00007f01.123", "run").text())
                .isEqualTo("org.x.A.run");
        assertThat(Frame.of("java.lang.invoke.LambdaForm$MH.0x00007f01", "invoke").text())
                .isEqualTo("java.lang.invoke.LambdaForm$MH.invoke");
    }
}
