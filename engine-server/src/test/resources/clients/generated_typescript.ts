// Uses a client that openapi-generator (typescript-fetch) made from the engine's own description.

import { Configuration, HostsApi, OperationsApi, ProblemFromJSON, ResponseError, VmsApi } from "./generated";

declare const process: { argv: string[]; env: Record<string, string | undefined>; exitCode: number };

function check(holds: boolean, what: unknown): void {
    if (!holds) {
        throw new Error(JSON.stringify(what));
    }
}

async function main(): Promise<void> {
    const vm = process.argv[3];
    const configuration = new Configuration({
        basePath: process.argv[2],
        username: "admin@internal",
        password: process.env.PW,
    });
    const vms = new VmsApi(configuration);
    const operations = new OperationsApi(configuration);

    const page = await vms.getVms({ sort: "name", total: true });
    const names: (string | undefined)[] = page.items.map((each) => each.name); // compiles for texts only
    check(page.items[0].lastStartAt == null || page.items[0].lastStartAt instanceof Date, page.items[0]);
    check(page.total === names.length && names.length > 0, page.total);
    check(names.every((name) => typeof name === "string") && names.includes(vm), names);

    const hosts = await new HostsApi(configuration).getHosts();
    const hostNames: (string | undefined)[] = hosts.items.map((each) => each.name);
    check(hostNames.length > 0 && hostNames.every((name) => typeof name === "string"), hostNames);

    let operation = await vms.postVmsByIdByAction({ id: vm, action: "start" });
    while (operation.endedAt == null) {
        await new Promise((later) => setTimeout(later, 100));
        operation = await operations.getOperationsById({ id: operation.id });
    }
    check(operation.state === "succeeded", operation);
    const started = await vms.getVmsById({ id: vm });
    check(started.name === vm && started.status === "up", started);

    const refused = await vms.getVmsById({ id: "no-such-vm" }).then(
        () => undefined,
        (error: unknown) => error,
    );
    if (!(refused instanceof ResponseError)) {
        throw new Error("not refused");
    }
    const problem = ProblemFromJSON(await refused.response.json());
    check(problem.status === 404 && (problem.detail ?? "").includes("no-such-vm"), problem);
    console.log("GENERATED-CLIENT-OK");
}

main().catch((error: unknown) => {
    console.error(error);
    process.exitCode = 1;
});
