// npm xen-api 4.7.6: connects (also through a member), reads all objects, sees an event, runs a task.
import { createClient } from 'xen-api'

const [url, transport] = process.argv.slice(2)
const calls = []
const xapi = createClient({
  url,
  auth: { user: 'root', password: 'stillwater' },
  allowUnauthorized: true,
  transport: transport === '-' ? undefined : transport,
  debounce: 10,
})
const call = xapi._call.bind(xapi)
xapi._call = (method, ...rest) => {
  calls.push(method)
  return call(method, ...rest)
}
await xapi.connect()
await xapi.objectsFetched
const all = Object.values(xapi.objects.all)
const vms = all.filter(o => o.$type === 'VM' && !o.is_a_template && !o.is_control_domain)
const halted = vms.find(vm => vm.power_state === 'Halted')
// XML-RPC sends ints as texts.
if (transport === 'json-rpc' && typeof halted.memory_static_max !== 'number') throw new Error('an int is no number')
if (halted.$pool.master !== xapi.pool.master) throw new Error('no pool')
const task = await xapi.callAsync('VM.start', halted.$ref, false, false)
const running = async () => {
  while (xapi.getObject(halted.uuid).power_state !== 'Running') {
    await new Promise(resolve => xapi.objects.once('finish', resolve))
  }
}
await running()
const before = calls.filter(each => each === 'task.get_all_records').length
for (let i = 0; i < Number(process.argv[4] ?? 5); i++) {
  const name = 'batch ' + i
  await xapi.call('VM.set_name_label', halted.$ref, name)
  while (xapi.getObject(halted.uuid).name_label !== name) {
    await new Promise(resolve => xapi.objects.once('finish', resolve))
  }
}
const refetched = calls.filter(each => each === 'task.get_all_records').length - before
try {
  await xapi.call('VM.start', halted.$ref, false, false)
  throw new Error('not refused')
} catch (error) {
  if (error.code !== 'VM_BAD_POWER_STATE') throw error
}
await xapi.disconnect()
console.log(`CLIENT-OK objects=${all.length} vms=${vms.length} refetched=${refetched}`)
process.exit(0)
