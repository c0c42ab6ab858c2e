-- For wrk: submits applications over and over, each under a new id that was asked for before. Its parameter is the submission as JSON text
-- without its braces. In the end it prints how many were accepted.
local ids = {}
local specification
local threads = {}
accepted = 0

function setup(thread)
  table.insert(threads, thread)
end

function init(parameters)
  specification = parameters[1]
  wrk.headers["Content-Type"] = "application/json"
  wrk.headers["Accept"] = "application/json"
end

function request()
  local id = table.remove(ids)
  if id == nil then return wrk.format("POST", wrk.path .. "/apps/new-application?user.name=root") end
  return wrk.format("POST", wrk.path .. "/apps?user.name=root", nil, '{"application-id":"' .. id .. '",' .. specification .. "}")
end

function response(status, headers, body)
  if status == 202 then accepted = accepted + 1 end
  local id = body:match('"application%-id":"([%w_]+)"')
  if status == 200 and id then table.insert(ids, id) end
end

function done()
  local sum = 0
  for _, thread in ipairs(threads) do sum = sum + thread:get("accepted") end
  io.write(string.format("Accepted: %d\n", sum))
end
