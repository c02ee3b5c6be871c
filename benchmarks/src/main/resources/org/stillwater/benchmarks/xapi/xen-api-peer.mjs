// npm xen-api: reads a pool, tells how long that took and how long the process stood still, then
// notes when it sees that VMs are paused.
import { createClient } from 'xen-api'

const [url, transport, changes] = process.argv.slice(2)
const wanted = Number(changes)

// How late a timer of 1 ms is: for so long nothing else was served.
const late = []
let last = performance.now()
let ticking = true
const tick = () => {
  const now = performance.now()
  late.push(Math.max(0, now - last - 1))
  last = now
  if (ticking) setTimeout(tick, 1)
}
setTimeout(tick, 1)

const begun = performance.now()
const used = process.cpuUsage()
const xapi = createClient({
  url,
  auth: { user: 'root', password: 'stillwater' },
  allowUnauthorized: true,
  transport,
})
await xapi.connect()
await xapi.objectsFetched
const millis = performance.now() - begun
const cpu = process.cpuUsage(used)
await new Promise(resolve => setTimeout(resolve, 5)) // what stands still now is told by the next tick
ticking = false
late.sort((one, other) => one - other)
const objects = Object.values(xapi.objects.all).length

const paused = new Map()
const look = changed => {
  const now = process.hrtime.bigint()
  for (const id in changed) {
    const object = changed[id]
    if (object?.$type === 'VM' && object.power_state === 'Paused' && !paused.has(object.uuid)) {
      paused.set(object.uuid, now)
    }
  }
  if (wanted > 0 && paused.size >= wanted) {
    const all = [...paused].map(([vm, nanos]) => ({ vm, nanos: nanos.toString() }))
    console.log(JSON.stringify({ paused: all }))
    process.exit(0)
  }
}
xapi.objects.on('update', look)

console.log(
  JSON.stringify({
    millis,
    objects,
    cpuMillis: (cpu.user + cpu.system) / 1000,
    longestStallMillis: late[late.length - 1],
    stallMillisP999: late[Math.ceil(late.length * 0.999) - 1],
  })
)
if (wanted === 0) process.exit(0)
